//===- TileMemoryOps.cpp - Tiles and global memory --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and memory effects of accesses. C1, C2, … are the constraints of
// the op's description in ODS.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

using namespace tessera;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// Verification shared by load, store and atomic
//===----------------------------------------------------------------------===//

/// Checks C1: global tensors exist only as parameters of a kernel.
static LogicalResult verifyGlobal(Operation *op, Value global) {
  auto argument = dyn_cast<BlockArgument>(global);
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return op->emitOpError() << "expected the global tensor to be a parameter "
                                "of the kernel";
  return success();
}

SmallVector<IndexAxes>
tile::getIndexAxes(ValueRange indices, std::optional<ArrayRef<int64_t>> given) {
  SmallVector<IndexAxes> axes;
  int64_t next = 0;
  unsigned entry = 0;
  for (Value index : indices) {
    IndexAxes own;
    if (auto gather = dyn_cast<RankedTensorType>(index.getType()))
      own.rank = gather.getRank();
    else
      own.rank = isa<RangeType>(index.getType());
    if (own.rank > 0) {
      own.first = given ? (*given)[entry++] : next;
      next = std::max(next, own.first + own.rank);
    }
    axes.push_back(own);
  }
  return axes;
}

/// Checks C6, and appends the extents of the tile to `kept`.
static LogicalResult verifyAxes(Operation *op, OperandRange indices,
                                std::optional<ArrayRef<int64_t>> given,
                                SmallVectorImpl<int64_t> &kept) {
  int64_t count = llvm::count_if(
      indices, [](Value index) { return !index.getType().isIndex(); });
  if (given && static_cast<int64_t>(given->size()) != count)
    return op->emitOpError()
           << "expected " << count << " axes, one per range and tensor, got "
           << given->size();
  llvm::SmallDenseMap<int64_t, Type> pairable;
  for (auto [index, axes] :
       llvm::zip_equal(indices, getIndexAxes(indices, given))) {
    if (axes.rank == 0)
      continue;
    auto gather = dyn_cast<RankedTensorType>(index.getType());
    if (axes.first != static_cast<int64_t>(kept.size())) {
      if (!gather || pairable.lookup(axes.first) != gather)
        return op->emitOpError()
               << "expected the axes of an index to begin at " << kept.size()
               << ", or to be those of a tensor of its type, got "
               << axes.first;
      continue;
    }
    if (gather) {
      pairable[axes.first] = gather;
      llvm::append_range(kept, gather.getShape());
    } else {
      kept.push_back(cast<RangeType>(index.getType()).getExtent());
    }
  }
  return success();
}

/// Checks C2 to C6 for the indices of `global`. `value` is the type of the tile
/// or scalar that is moved.
static LogicalResult verifyAccess(Operation *op, GlobalType global,
                                  OperandRange indices, Type value,
                                  std::optional<ArrayRef<bool>> inBounds,
                                  std::optional<ArrayRef<int64_t>> axes) {
  // C2
  if (static_cast<int64_t>(indices.size()) != global.getRank())
    return op->emitOpError()
           << "expected " << global.getRank()
           << " indices, one per dimension, got " << indices.size();
  for (auto [position, pair] :
       llvm::enumerate(llvm::zip_equal(indices, global.getShape()))) {
    auto [index, size] = pair;
    if (auto range = dyn_cast<RangeType>(index.getType())) {
      // C3
      if (range.getDimension() &&
          range.getDimension() != size.getSingleSymbol())
        return op->emitOpError()
               << "expected index " << position << " to walk '" << size.str()
               << "', got a range of '" << range.getDimension().getValue()
               << "'";
    }
  }
  SmallVector<int64_t> kept;
  if (failed(verifyAxes(op, indices, axes, kept)))
    return failure();
  // C4
  auto emitError = [&] { return op->emitOpError(); };
  if (failed(verifyTileShape(emitError, kept)))
    return failure();
  Type expected = global.getElementType();
  if (!kept.empty())
    expected = RankedTensorType::get(kept, expected);
  if (value != expected)
    return op->emitOpError()
           << "expected the value to be " << expected << ", got " << value;
  // C5
  if (inBounds && static_cast<int64_t>(inBounds->size()) != global.getRank())
    return op->emitOpError()
           << "expected " << global.getRank()
           << " in_bounds flags, one per dimension, got " << inBounds->size();
  return success();
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (failed(verifyGlobal(*this, getGlobal())))
    return failure();
  GlobalType global = getGlobalType();
  if (!global.isReadable())
    return emitOpError() << "reads an 'out' tensor; declare it 'inout' to read "
                            "it";
  if (failed(verifyAccess(*this, global, getIndices(), getType(), getInBounds(),
                          getAxes())))
    return failure();
  // C5
  if (auto flags = getOpenEnds();
      flags && static_cast<int64_t>(flags->size()) != global.getRank())
    return emitOpError() << "expected " << global.getRank()
                         << " open_ends flags, one per dimension, got "
                         << flags->size();
  if (TypedAttr fill = getFillAttr()) {
    if (fill.getType() != global.getElementType())
      return emitOpError() << "expected fill to be " << global.getElementType()
                           << ", got " << fill.getType();
    if (!isa<FloatAttr, IntegerAttr>(fill))
      return emitOpError() << "expected fill to be a number";
  }
  return success();
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // An `in` tensor does not change during a launch, and a load never faults.
  if (getGlobalType().isWritable())
    effects.emplace_back(MemoryEffects::Read::get(), &getGlobalMutable());
}

Speculation::Speculatability LoadOp::getSpeculatability() {
  // A claim of `in_bounds` may be true only at the position of the op.
  auto flags = getInBounds();
  if (flags && llvm::is_contained(*flags, true))
    return Speculation::NotSpeculatable;
  return Speculation::Speculatable;
}

//===----------------------------------------------------------------------===//
// StoreOp, AtomicOp, BarrierOp
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  if (failed(verifyGlobal(*this, getGlobal())))
    return failure();
  if (!getGlobalType().isWritable())
    return emitOpError() << "writes an 'in' tensor; declare it 'out' or "
                            "'inout' to write it";
  return verifyAccess(*this, getGlobalType(), getIndices(),
                      getValue().getType(), getInBounds(), getAxes());
}

void StoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getGlobalMutable());
}

LogicalResult tile::verifyAtomicElement(Operation *op, AtomicKind kind,
                                        Type element) {
  bool isAdd = kind == AtomicKind::Add;
  bool isExchange = kind == AtomicKind::Exchange;
  if (element.isInteger(32) || element.isInteger(64) ||
      (isa<Float32Type, Float64Type>(element) && (isAdd || isExchange)) ||
      (isa<Float16Type, BFloat16Type>(element) && isAdd))
    return success();
  return op->emitOpError() << "expected elements of "
                           << (isAdd        ? "f64, f32, f16, bf16, i32 or i64"
                               : isExchange ? "f64, f32, i32 or i64"
                                            : "i32 or i64")
                           << ", got " << element;
}

LogicalResult tile::verifyAtomicOrder(Operation *op, AtomicOrder order,
                                      bool hasResult) {
  if (hasResult || !acquires(order))
    return success();
  return op->emitOpError() << "expected a result for the order '"
                           << stringifyAtomicOrder(order) << "'";
}

LogicalResult AtomicOp::verify() {
  if (failed(verifyGlobal(*this, getGlobal())))
    return failure();
  GlobalType global = getGlobalType();
  if (global.getAccess() != Access::InOut)
    return emitOpError() << "expected an 'inout' tensor, got '"
                         << stringifyAccess(global.getAccess()) << "'";
  AtomicKind kind = getKind();
  if (failed(verifyAtomicElement(*this, kind, global.getElementType())))
    return failure();
  Type type = getValue().getType();
  if ((kind == AtomicKind::Cas) != bool(getExpected()) ||
      (getExpected() && getExpected().getType() != type))
    return emitOpError() << "expected one operand " << type
                         << " after 'if' for 'cas', and none for others";
  if (getOld() && getOld().getType() != type)
    return emitOpError() << "expected the result to be " << type << ", got "
                         << getOld().getType();
  if (failed(verifyAtomicOrder(*this, getOrder(), bool(getOld()))))
    return failure();
  return verifyAccess(*this, global, getIndices(), getValue().getType(),
                      getInBounds(), getAxes());
}

void AtomicOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getGlobalMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getGlobalMutable());
}

bool tile::waitsForPrograms(Operation *op) {
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return acquires(atomic.getOrder());
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && barrier.getGrid();
}

void BarrierOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
