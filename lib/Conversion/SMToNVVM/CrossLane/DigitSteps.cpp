//===- DigitSteps.cpp - Scans and reductions digit by digit -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exchange between warps keeps the number of the register, so a place in
// memory depends on a register and a thread, whatever the layout. The elements
// of several sources go through the same memory one source after the other.
//
//===----------------------------------------------------------------------===//

#include "DigitSteps.h"

#include "GlobalMemory/VectorAccess.h"
#include "Kernel/TileCoordinates.h"

using namespace tessera;
using namespace tessera::sm;

void DigitSteps::run(const AxisDigit &digit) {
  switch (digit.kind) {
  case AxisDigit::Register:
    runRegisters(digit);
    break;
  case AxisDigit::Lane:
    runLanes(digit);
    break;
  case AxisDigit::Warp:
    runWarps(digit);
    break;
  }
  below.push_back(digit);
}

bool sm::isFirstRegister(ArrayRef<AxisDigit> digits, int64_t reg) {
  return llvm::all_of(digits, [&](const AxisDigit &digit) {
    return digit.kind != AxisDigit::Register || digit.get(reg) == 0;
  });
}

Value DigitSteps::emitNumber(const AxisDigit &digit) const {
  bool isLane = digit.kind == AxisDigit::Lane;
  return emitDigit(builder, loc, isLane ? threads.lane : threads.warp,
                   isLane ? 32 : threads.warps, digit.place, digit.count);
}

Value DigitSteps::emitWith(Value number, const AxisDigit &digit,
                           int64_t step) const {
  Value change = LLVM::SubOp::create(
      builder, loc, emitI32(builder, loc, getValue(digit, step)),
      emitNumber(digit));
  return LLVM::AddOp::create(
      builder, loc, number,
      LLVM::MulOp::create(builder, loc, change,
                          emitI32(builder, loc, digit.place)));
}

Value DigitSteps::emitThread(Value warp, Value lane) const {
  return LLVM::AddOp::create(
      builder, loc,
      LLVM::MulOp::create(builder, loc, warp, emitI32(builder, loc, 32)), lane);
}

Value DigitSteps::emitIsAtLeast(const AxisDigit &digit, int64_t step) const {
  return LLVM::ICmpOp::create(
      builder, loc,
      isReverse ? LLVM::ICmpPredicate::ule : LLVM::ICmpPredicate::uge,
      emitNumber(digit), emitI32(builder, loc, getValue(digit, step)));
}

SmallVector<SmallVector<Group>>
DigitSteps::exchange(ArrayRef<Group> sent, ArrayRef<Value> from) const {
  SmallVector<SmallVector<Group>> got(from.size(),
                                      SmallVector<Group>(sent.size()));
  for (unsigned source = 0; source < combiner.getNumSources(); ++source) {
    Type moved = combiner.getMovedType(source);
    int64_t bytes = getElementBytes(moved);
    int64_t rowBytes = threads.getThreads() * bytes;
    auto getAddress = [&](Value thread) -> Value {
      return LLVM::AddOp::create(
          builder, loc, base,
          LLVM::MulOp::create(builder, loc, thread,
                              emitI32(builder, loc, bytes)));
    };
    Value own = getAddress(emitThread(threads.warp, threads.lane));
    SmallVector<Value> addresses = llvm::map_to_vector(from, getAddress);
    int64_t chunk = getExchangedRegisters(moved, threads.warps);
    for (int64_t first = 0, e = sent.size(); first < e; first += chunk) {
      int64_t count = std::min(chunk, e - first);
      SmallVector<Value> part;
      for (const Group &group : sent.slice(first, count))
        part.push_back(combiner.toMoved(builder, loc, source, group[source]));
      emitRoleBarrier(builder, context, op);
      for (auto [i, value] : llvm::enumerate(part))
        emitSharedStore(builder, loc, own, i * rowBytes, value, Value());
      emitRoleBarrier(builder, context, op);
      for (auto [address, line] : llvm::zip_equal(addresses, got))
        for (auto [i, value] : llvm::enumerate(part)) {
          SmallVector<Value> loaded = emitSharedLoad(
              builder, loc, moved, address, i * rowBytes, value, Value());
          line[first + i].push_back(
              combiner.fromMoved(builder, loc, source, loaded.front()));
        }
    }
  }
  return got;
}
