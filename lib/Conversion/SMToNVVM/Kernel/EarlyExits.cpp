//===- EarlyExits.cpp - Loops that end early --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the condition of an early exit a condition of the loop. Until here, the
// loop has a number of iterations, as all passes expect. Lowered operations may
// have effects that theirs have not: a change of layout becomes stores to
// shared memory and barriers. So the exits are found before the conversion.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
using namespace tessera::sm;

/// Replaces `loop`, which goes on while the carried value `runs` is true.
static void makeWhile(scf::ForOp loop, unsigned runs) {
  OpBuilder builder(loop);
  SmallVector<Value> inits = {loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  auto made = scf::WhileOp::create(
      builder, loop.getLoc(), ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &inner, Location loc, ValueRange carried) {
        auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                               : arith::CmpIPredicate::slt;
        Value goesOn = carried[runs + 1];
        if (!tile::isUnbounded(loop))
          goesOn = arith::AndIOp::create(
              inner, loc,
              arith::CmpIOp::create(inner, loc, predicate, carried.front(),
                                    loop.getUpperBound()),
              goesOn);
        scf::ConditionOp::create(inner, loc, goesOn, carried);
      },
      [&](OpBuilder &inner, Location loc, ValueRange carried) {
        SmallVector<Value> yields = {
            arith::AddIOp::create(inner, loc, carried.front(), loop.getStep())};
        llvm::append_range(yields, loop.getYieldedValues());
        loop.getBody()->getTerminator()->erase();
        Block *body = inner.getInsertionBlock();
        body->getOperations().splice(body->end(),
                                     loop.getBody()->getOperations());
        for (auto [argument, value] :
             llvm::zip_equal(loop.getBody()->getArguments(), carried)) {
          llvm::replace(yields, Value(argument), Value(value));
          argument.replaceAllUsesWith(value);
        }
        inner.setInsertionPointToEnd(body);
        scf::YieldOp::create(inner, loc, yields);
      });
  loop->replaceAllUsesWith(made.getResults().drop_front());
  loop.erase();
}

LogicalResult sm::endLoopsEarly(LLVM::LLVMFuncOp function) {
  WalkResult result = function.walk([](scf::ForOp loop) {
    if (std::optional<unsigned> runs = tile::findEarlyExit(loop)) {
      makeWhile(loop, *runs);
    } else if (tile::isUnbounded(loop)) {
      loop.emitError("this loop has no exit that the GPU could take, and would "
                     "run 2^63 times; expected a condition that an iteration "
                     "changes");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
