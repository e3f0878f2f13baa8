//===- SMProductOps.cpp - Matrix products -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/ProductGroups.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// M, N and K of a product.
struct Extents {
  int64_t m, n, k;
};
} // namespace

static ArrayRef<int64_t> getShape(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.getShape();
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getTensor().getShape();
  return cast<RankedTensorType>(type).getShape();
}

static Type getElement(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.getElementType();
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getTensor().getElementType();
  return cast<RankedTensorType>(type).getElementType();
}

/// C1
template <typename OpTy>
static FailureOr<Extents> verifyShapes(OpTy op) {
  Type a = op.getA().getType(), b = op.getB().getType();
  Type accumulator = op.getAccumulator().getType();
  ArrayRef<int64_t> aShape = getShape(a), bShape = getShape(b),
                    cShape = getShape(accumulator);
  if (aShape.size() != 2 || bShape.size() != 2 || cShape.size() != 2)
    return op.emitOpError() << "expected tiles of rank 2";
  int64_t m = aShape[op.getTransposeA()], k = aShape[!op.getTransposeA()];
  int64_t kOfB = bShape[op.getTransposeB()], n = bShape[!op.getTransposeB()];
  if (k != kOfB || cShape[0] != m || cShape[1] != n)
    return op.emitOpError()
           << "expected MxK by KxN into MxN, got " << m << "x" << k << " by "
           << kOfB << "x" << n << " into " << cShape[0] << "x" << cShape[1];
  return Extents{m, n, k};
}

/// C5
template <typename OpTy>
static LogicalResult verifyShared(OpTy op, SmemType tile, bool isA,
                                  bool transposed, int64_t block) {
  // The contracted dimension: the last one of a, the first one of b.
  unsigned kDim = isA != transposed;
  llvm::Expected<layout::MatrixDescriptor> descriptor =
      getMatrixDescriptor(tile, kDim, block);
  if (!descriptor)
    return op.emitOpError()
           << "cannot read operand " << (isA ? "a" : "b") << ", " << Type(tile)
           << ", by wgmma: " << llvm::toString(descriptor.takeError());
  return success();
}

/// All the rules of products on tensor cores.
template <typename OpTy>
static LogicalResult verifyMma(OpTy op) {
  FailureOr<Extents> extents = verifyShapes(op);
  if (failed(extents))
    return failure();
  auto [m, n, k] = *extents;
  const GpuTarget &target = getTarget(op);
  int64_t warps = getWarps(op);
  int64_t warpgroups = warps / target.warpsPerWarpgroup;
  if (warps % target.warpsPerWarpgroup != 0)
    return op.emitOpError()
           << "expected whole warpgroups, got " << warps << " warps";
  // C2
  Type accumulator = op.getAccumulator().getType();
  if (auto pending = dyn_cast<PendingType>(accumulator))
    accumulator = pending.getTensor();
  llvm::Expected<layout::Layout> expected =
      layout::getAccumulator(m, n, warpgroups);
  if (!expected)
    return op.emitOpError() << "cannot be done by wgmma: "
                            << llvm::toString(expected.takeError());
  Type a = getElement(op.getA().getType()), b = getElement(op.getB().getType());
  bool areIntegers = a.isInteger(8) && b.isInteger(8);
  Type sum = getElement(accumulator);
  StringRef sums = areIntegers ? "i32" : "f32";
  if (getLayout(accumulator) != *expected ||
      !(areIntegers ? sum.isInteger(32) : sum.isF32()))
    return op.emitOpError()
           << "expected an accumulator of " << sums << " and layout \""
           << expected->str() << "\", got " << accumulator;
  // C3
  bool is8Bit = isa<Float8E4M3FNType, Float8E5M2Type>(a) &&
                isa<Float8E4M3FNType, Float8E5M2Type>(b);
  if (!is8Bit && !areIntegers &&
      !(a == b && isa<Float16Type, BFloat16Type, Float32Type>(a)))
    return op.emitOpError() << "expected operands of f16, of bf16, of f32, of "
                               "8-bit floats or of i8, got "
                            << a << " and " << b;
  // C4
  int64_t parts = layout::getProductSplit(m, warpgroups).columns;
  int64_t block = getInstructionColumns(target, op.getB().getType(),
                                        op.getTransposeB(), parts);
  if (parts > 1 && block == 0)
    return op.emitOpError()
           << "expected each of " << parts << " warpgroups to read whole rows "
           << "of a swizzle of operand b, got " << n / parts << " columns of "
           << Type(op.getB().getType());
  if (auto tile = dyn_cast<SmemType>(op.getA().getType())) {
    if (failed(verifyShared(op, tile, /*isA=*/true, op.getTransposeA(),
                            target.wgmmaM)))
      return failure();
  } else {
    llvm::Expected<layout::Layout> fragment =
        layout::getOperandA(m, k, getElementBytes(a), warpgroups);
    if (!fragment)
      return op.emitOpError() << "cannot take a from registers: "
                              << llvm::toString(fragment.takeError());
    if (op.getTransposeA() || getLayout(op.getA().getType()) != *fragment)
      return op.emitOpError() << "expected operand a in registers, not "
                                 "transposed, with the layout \""
                              << fragment->str() << "\"";
  }
  return verifyShared(op, op.getB().getType(), /*isA=*/false,
                      op.getTransposeB(), block);
}

LogicalResult MmaOp::verify() { return verifyMma(*this); }
LogicalResult MmaIssueOp::verify() {
  Type accumulator = getAccumulator().getType();
  Type pending = accumulator;
  if (auto tensor = dyn_cast<RankedTensorType>(accumulator))
    pending = PendingType::get(getContext(), tensor);
  if (Type(getType()) != pending)
    return emitOpError() << "expected the result to be " << pending << ", got "
                         << Type(getType());
  return verifyMma(*this);
}

LogicalResult DotOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  Type accumulator = getElement(getAccumulator().getType());
  if (!accumulator.isF32() && !accumulator.isInteger(32))
    return emitOpError() << "expected an accumulator of f32 or i32, got "
                         << accumulator;
  for (Value operand : {getA(), getB()})
    if (Type element = getElement(operand.getType());
        accumulator.isF32() ? !isa<FloatType>(element) : !element.isInteger(8))
      return emitOpError() << "expected operands of floats for f32, of i8 for "
                              "i32, got "
                           << element << " for " << accumulator;
  return success();
}

static LogicalResult verifyLeave(Operation *op, int64_t leave) {
  if (leave >= 0 && leave <= kMostGroupsLeft)
    return success();
  return op->emitOpError() << "expected to leave 0 to " << kMostGroupsLeft
                           << " groups, got " << leave;
}

LogicalResult MmaAwaitOp::verify() {
  if (getType() != getPending().getType().getTensor())
    return emitOpError() << "expected the result to be "
                         << getPending().getType().getTensor() << ", got "
                         << getType();
  return verifyLeave(*this, getLeave());
}

LogicalResult MmaRetireOp::verify() { return verifyLeave(*this, getLeave()); }
