//===- EndlessLoops.cpp - Loops that never end ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop without a bound that reaches a fixed point fails, long before the step
// limit. Only iterations 64, 128, 256, … compare the values at their start and
// end, so that other loops take no time for it. The interpreter then runs the
// program again, and reports the loop. It finds longer cycles as well.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

using namespace tessera;
using namespace tessera::host;

/// Number of the first iteration that is compared; a power of two.
static constexpr int64_t kFirstKept = 64;

KernelLowering::KeptState
KernelLowering::keepState(scf::ForOp op, Value trip,
                          ArrayRef<BufferRef> buffers) {
  Value below = arith::SubIOp::create(builder, loc, trip, getIndex(1));
  Value common = arith::AndIOp::create(builder, loc, trip, below);
  KeptState kept;
  kept.isKept = logicalAnd(
      compare(arith::CmpIPredicate::eq, common, getIndex(0)),
      compare(arith::CmpIPredicate::uge, trip, getIndex(kFirstKept)));
  auto branch = scf::IfOp::create(builder, loc, kept.isKept);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  unsigned next = 0;
  for (Value value : op.getInitArgs()) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    BufferRef copy = allocate(type);
    evaluateInto(makeRead(type, buffers[next++]), copy);
    kept.tiles.push_back(makeRead(type, copy));
  }
  return kept;
}

void KernelLowering::failIfRepeated(const KeptState &kept, ValueRange before,
                                    ValueRange after,
                                    ArrayRef<BufferRef> buffers) {
  auto branch = scf::IfOp::create(builder, loc, kept.isKept);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Type flag = builder.getI32Type();
  BufferRef differs = allocate(RankedTensorType::get({1}, flag));
  Value only[] = {getIndex(0)};
  write(*differs, only, getElements().getInteger(0, flag));
  auto getBits = [&](Value value, int64_t width) -> Value {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
    if (!type)
      return value;
    return arith::BitcastOp::create(
        builder, loc,
        getLanesType(builder.getIntegerType(type.getWidth()), width), value);
  };
  auto compareBits = [&](Value value, Value other, int64_t width) {
    ElementBuilder elements = getElements(width);
    Value isOther = compare(arith::CmpIPredicate::ne, getBits(value, width),
                            getBits(other, width));
    Value found =
        arith::ExtUIOp::create(builder, loc, flag, elements.anyLane(isOther));
    Value old = read(*differs, flag, only, 1);
    write(*differs, only, arith::OrIOp::create(builder, loc, old, found));
  };
  for (auto [value, other] : llvm::zip_equal(before, after))
    compareBits(value, other, 1);
  for (auto pair : llvm::zip_equal(kept.tiles, buffers)) {
    ExpressionRef first = std::get<0>(pair);
    ExpressionRef last = makeRead(first->type, std::get<1>(pair));
    int64_t width = getLanes(first->getShape());
    forEachPosition(first->getShape(), width, [&](ArrayRef<Value> position) {
      compareBits(evaluate(*first, position, width),
                  evaluate(*last, position, width), width);
    });
  }
  failIf(compare(arith::CmpIPredicate::eq, read(*differs, flag, only, 1),
                 getElements().getInteger(0, flag)));
}
