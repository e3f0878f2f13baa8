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

std::optional<SmallVector<AxisDigit>>
sm::getAxisDigits(const layout::Layout &layout, unsigned axis) {
  SmallVector<std::pair<int64_t, AxisDigit>> digits;
  for (const layout::Digit &digit : layout.getDigits()) {
    int64_t stride = digit.stride[axis];
    if (stride == 0)
      continue;
    if (llvm::count(digit.stride, 0) + 1 !=
        static_cast<int64_t>(digit.stride.size()))
      return std::nullopt;
    StringRef name = layout.getAxes()[digit.axis].name;
    AxisDigit::Kind kind = name == layout::kRegister ? AxisDigit::Register
                           : name == layout::kLane   ? AxisDigit::Lane
                                                     : AxisDigit::Warp;
    digits.push_back({stride, {kind, digit.place, digit.count}});
  }
  llvm::sort(digits,
             [](const auto &x, const auto &y) { return x.first < y.first; });
  SmallVector<AxisDigit> result;
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
  if (reached != layout.getShape()[axis])
    return std::nullopt;
  return result;
}

std::optional<SmallVector<AxisDigit>> sm::getScanDigits(ScanOp op) {
  return getAxisDigits(getLayout(op.getSource().getType()), op.getAxis());
}

int64_t sm::getExchangedRegisters(Type work, int64_t warps) {
  int64_t bytes = getElementBytes(work);
  return std::max<int64_t>(1, kMaxExchangeBytes / (warps * 32 * bytes));
}

bool sm::isAmongWarps(ArrayRef<AxisDigit> digits) {
  return llvm::any_of(digits, [](const AxisDigit &digit) {
    return digit.kind == AxisDigit::Warp;
  });
}

/// Returns the bytes of the exchange between warps of a tile of `type`.
static int64_t getStepsScratch(Operation *op, RankedTensorType type,
                               ArrayRef<AxisDigit> digits) {
  Type work = getWorkType(type.getElementType());
  // The first exchange is the largest one.
  int64_t registers = getLayout(type).getSize(layout::kRegister);
  int64_t warps = getWarps(op);
  for (const AxisDigit &digit : digits) {
    if (digit.kind == AxisDigit::Warp)
      return std::min(registers, getExchangedRegisters(work, warps)) * warps *
             32 * getElementBytes(work);
    if (digit.kind == AxisDigit::Register)
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
  if (std::optional<SmallVector<AxisDigit>> digits = getScanDigits(op))
    return getStepsScratch(op, op.getSource().getType(), *digits);
  return getScratchTile(op).getBytes();
}

int64_t sm::getWithScratch(Operation *op, ValueRange sources, unsigned axis) {
  int64_t most = 0;
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    // The verifier has checked that there are digits.
    if (type.getDimSize(axis) != 1)
      most = std::max(
          most,
          getStepsScratch(op, type, *getAxisDigits(getLayout(type), axis)));
  }
  return most;
}
