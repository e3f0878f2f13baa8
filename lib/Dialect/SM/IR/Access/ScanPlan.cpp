//===- ScanPlan.cpp - The digits that a scan goes through -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"

using namespace tessera;
using namespace tessera::sm;

/// Shared memory is scarce; barriers cost little compared with moving this
/// much.
static constexpr int64_t kMaxExchangeBytes = 32 * 1024;

std::optional<SmallVector<ScanDigit>> sm::getScanDigits(ScanOp op) {
  const layout::Layout &layout = getLayout(op.getSource().getType());
  unsigned axis = op.getAxis();
  SmallVector<std::pair<int64_t, ScanDigit>> digits;
  for (const layout::Digit &digit : layout.getDigits()) {
    int64_t stride = digit.stride[axis];
    if (stride == 0)
      continue;
    if (llvm::count(digit.stride, 0) + 1 !=
        static_cast<int64_t>(digit.stride.size()))
      return std::nullopt;
    StringRef name = layout.getAxes()[digit.axis].name;
    ScanDigit::Kind kind = name == layout::kRegister ? ScanDigit::Register
                           : name == layout::kLane   ? ScanDigit::Lane
                                                     : ScanDigit::Warp;
    digits.push_back({stride, {kind, digit.place, digit.count}});
  }
  llvm::sort(digits,
             [](const auto &x, const auto &y) { return x.first < y.first; });
  SmallVector<ScanDigit> result;
  int64_t reached = 1;
  for (auto &[stride, digit] : digits) {
    if (stride != reached)
      return std::nullopt;
    reached *= digit.count;
    // Neighbours in one number are one digit.
    if (!result.empty() && result.back().kind == digit.kind &&
        result.back().place * result.back().count == digit.place)
      result.back().count *= digit.count;
    else
      result.push_back(digit);
  }
  if (reached != op.getSource().getType().getDimSize(axis))
    return std::nullopt;
  return result;
}

int64_t sm::getExchangedRegisters(Type work, int64_t warps) {
  int64_t bytes = getElementBytes(work);
  return std::max<int64_t>(1, kMaxExchangeBytes / (warps * 32 * bytes));
}

bool sm::isAmongWarps(ArrayRef<ScanDigit> digits) {
  return llvm::any_of(digits, [](const ScanDigit &digit) {
    return digit.kind == ScanDigit::Warp;
  });
}

/// Returns the bytes of the exchange between warps.
static int64_t getStepsScratch(ScanOp op, ArrayRef<ScanDigit> digits) {
  RankedTensorType type = op.getSource().getType();
  Type work = getWorkType(type.getElementType());
  // The first exchange is the largest one.
  int64_t registers = getLayout(type).getSize(layout::kRegister);
  int64_t warps = getWarps(op);
  for (const ScanDigit &digit : digits) {
    if (digit.kind == ScanDigit::Warp)
      return std::min(registers, getExchangedRegisters(work, warps)) * warps *
             32 * getElementBytes(work);
    if (digit.kind == ScanDigit::Register)
      registers /= digit.count;
  }
  return 0;
}

ScratchTile sm::getScratchTile(ScanOp op) {
  RankedTensorType type = op.getSource().getType();
  return ScratchTile(type.getShape(),
                     getElementBytes(getWorkType(type.getElementType())));
}

bool sm::changesNothing(ScanOp op) {
  return op.getSource().getType().getDimSize(op.getAxis()) == 1;
}

int64_t sm::getScanScratch(ScanOp op) {
  if (changesNothing(op))
    return 0;
  if (std::optional<SmallVector<ScanDigit>> digits = getScanDigits(op))
    return getStepsScratch(op, *digits);
  return getScratchTile(op).getBytes();
}
