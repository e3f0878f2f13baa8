//===- TripCount.cpp - Iterations that are run for sure ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/Dialect/SM/Analysis/MostIterations.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether constants say that `loop` runs at least once.
static bool isKnownToRun(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  return first && end && *first >= 0 && *first < *end;
}

scf::IfOp
sm::replaceIfRun(scf::ForOp loop,
                 function_ref<SmallVector<Value>(OpBuilder &)> build) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> results;
  scf::IfOp branch;
  if (isKnownToRun(loop)) {
    results = build(builder);
  } else {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                           : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(
        builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
    auto yield = [](OpBuilder &at, Location where, ValueRange values) {
      scf::YieldOp::create(at, where, values);
    };
    auto buildElse = [&](OpBuilder &inner, Location where) {
      yield(inner, where, loop.getInitArgs());
    };
    branch = scf::IfOp::create(
        builder, loc, runs,
        [&](OpBuilder &inner, Location where) {
          yield(inner, where, build(inner));
        },
        loop.getNumResults() == 0
            ? function_ref<void(OpBuilder &, Location)>(nullptr)
            : buildElse);
    results.assign(branch.result_begin(), branch.result_end());
  }
  loop->replaceAllUsesWith(results);
  loop.erase();
  return branch;
}

void sm::simplifyShortLoop(scf::ForOp loop) {
  std::optional<int64_t> most = getMostIterations(loop);
  if (!most || *most > 1)
    return;
  if (*most == 0) {
    loop->replaceAllUsesWith(loop.getInitArgs());
    loop.erase();
    return;
  }
  replaceIfRun(loop, [&](OpBuilder &builder) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : loop.getYieldedValues())
      results.push_back(mapping.lookupOrDefault(value));
    return results;
  });
}
