//===- TripCount.cpp - Iterations that are run for sure ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace tessera;
using namespace tessera::sm;

/// Whether constants say that `loop` runs at least once.
static bool isKnownToRun(scf::ForOp loop) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  return first && end && *first >= 0 && *first < *end;
}

void sm::replaceIfRun(scf::ForOp loop,
                      function_ref<SmallVector<Value>(OpBuilder &)> build) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> results;
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
    auto branch = scf::IfOp::create(
        builder, loc, runs,
        [&](OpBuilder &inner, Location where) {
          yield(inner, where, build(inner));
        },
        [&](OpBuilder &inner, Location where) {
          yield(inner, where, loop.getInitArgs());
        });
    results.assign(branch.result_begin(), branch.result_end());
  }
  loop->replaceAllUsesWith(results);
  loop.erase();
}
