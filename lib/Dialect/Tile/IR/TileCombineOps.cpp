//===- TileCombineOps.cpp - Reductions with a region ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers. C1, C2, … are the constraints of the op's description in ODS. The
// operations of the `sm` dialect with such a region share its verifier.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Dialect/Tile/IR/Combiner.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::tile;

/// Checks whether a combiner may contain `op`.
static bool isCombinable(Operation &op) {
  return isArithmetic(&op) && op.getNumResults() == 1 &&
         op.getNumRegions() == 0 &&
         (isa<arith::ConstantOp>(op) || op.getNumOperands() > 0) &&
         llvm::all_of(op.getOperandTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
         op.getResult(0).getType().isIntOrIndexOrFloat();
}

LogicalResult tile::verifyCombiner(Operation *op, Region &combiner,
                                   ArrayRef<Type> elements) {
  Block &block = combiner.front();
  SmallVector<Type> both(elements);
  both.append(elements.begin(), elements.end());
  if (block.getArgumentTypes() != TypeRange(both)) // C3
    return op->emitOpError()
           << "expected the combiner to have the arguments (" << both
           << "), got (" << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError()
           << "expected the combiner to end with 'tile.yield'";
  if (yield.getOperandTypes() != TypeRange(elements))
    return yield.emitOpError() << "expected values of (" << elements
                               << "), got (" << yield.getOperandTypes() << ")";
  for (Operation &inner : block.without_terminator())
    if (!isCombinable(inner)) // C4
      return inner.emitOpError()
             << "cannot combine elements; expected elementwise operations of "
                "arith and math, and tile.asm, on scalars";
  return success();
}

LogicalResult tile::verifyCombinedSources(Operation *op, int64_t axis) {
  if (op->getNumOperands() == 0)
    return op->emitOpError() << "expected a source";
  auto first = cast<RankedTensorType>(op->getOperand(0).getType());
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError() << "expected an axis from 0 to "
                             << first.getRank() - 1 << ", got " << axis;
  for (Type type : op->getOperandTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return op->emitOpError() << "expected sources of one shape, got " << first
                               << " and " << type;
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError() << "expected " << op->getNumOperands()
                             << " results, got " << op->getNumResults();
  return success();
}

SmallVector<Type> tile::getElementTypes(ValueRange tiles) {
  return llvm::map_to_vector(
      tiles, [](Value tile) { return getElementTypeOrSelf(tile.getType()); });
}

/// Verifies an op whose results have the shape `shape`.
template <typename OpTy>
static LogicalResult verify(OpTy op, ArrayRef<int64_t> shape) {
  for (auto [source, result] :
       llvm::zip_equal(op.getSources(), op.getResults())) {
    auto expected =
        RankedTensorType::get(shape, getElementTypeOrSelf(source.getType()));
    if (result.getType() != expected) // C2
      return op.emitOpError() << "expected a result of " << expected << ", got "
                              << result.getType();
  }
  for (Type type : op->getOperandTypes())
    if (failed(verifyTileShape([&] { return op.emitOpError(); },
                               cast<RankedTensorType>(type).getShape())))
      return failure();
  return verifyCombiner(op, op.getCombiner(), getElementTypes(op.getSources()));
}

LogicalResult ReduceWithOp::verify() {
  if (failed(verifyCombinedSources(*this, getAxis()))) // C1
    return failure();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(getSources().front().getType()).getShape());
  shape.erase(shape.begin() + getAxis());
  return ::verify(*this, shape);
}

LogicalResult ScanWithOp::verify() {
  if (failed(verifyCombinedSources(*this, getAxis()))) // C1
    return failure();
  return ::verify(
      *this, cast<RankedTensorType>(getSources().front().getType()).getShape());
}
