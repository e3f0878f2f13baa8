//===- GlobalAccess.h - Addresses and validity of a box ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of loads, stores and atomic additions. For each register of a
// tile, it provides the address of its element, and whether the element is
// valid. Address and coordinates are sums of a part of the thread and a
// constant of the register. The parts of the thread are computed once.
//
// Elements in adjacent registers are accessed together if their addresses are
// aligned. Alignment depends on strides, starts and limits of the launch, so a
// uniform condition tests it once per operation. For unaligned addresses of
// long vectors, see UnalignedLoads.h.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_GLOBALACCESS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_GLOBALACCESS_H

#include "Kernel/LoweringContext.h"
#include "Kernel/RegisterTypeConverter.h"
#include "Kernel/TileCoordinates.h"

#include <map>

namespace tessera::sm {

/// The operands of an access, after conversion.
struct AccessOperands {
  Value global;
  /// By dimension of the tensor: an index, or the registers of a gather.
  SmallVector<SmallVector<Value>> indices;
  SmallVector<Type> indexTypes;
  SmallVector<Value> limits;
  Value mask;
  ArrayRef<int64_t> dims;
  SmallVector<tile::IndexAxes> axes;
  /// By entry of `dims`.
  SmallVector<bool> inBounds;
};

template <typename OpTy, typename Adaptor>
AccessOperands getAccessOperands(OpTy op, Adaptor adaptor) {
  AccessOperands operands;
  operands.global = op.getGlobal();
  for (auto [index, values] :
       llvm::zip_equal(op.getIndices(), adaptor.getIndices())) {
    operands.indexTypes.push_back(index.getType());
    operands.indices.push_back(llvm::to_vector_of<Value>(values));
  }
  for (ValueRange limit : adaptor.getLimits())
    operands.limits.push_back(limit.front());
  if (op.getMask())
    operands.mask = adaptor.getMask().front();
  operands.dims = op.getDims();
  operands.axes = op.getIndexAxes();
  for (unsigned i = 0; i < operands.dims.size(); ++i)
    operands.inBounds.push_back(op.isInBounds(i));
  return operands;
}

class GlobalAccess {
public:
  /// Creates the addresses of an access. `layout` is that of the tile; it has
  /// rank 0 for a scalar. All threads of `threads` participate.
  static FailureOr<GlobalAccess> get(OpBuilder &builder, Operation *op,
                                     const LoweringContext &context,
                                     const AccessOperands &operands,
                                     const layout::Layout &layout);

  /// Returns the largest number of elements to access together, a power of two,
  /// at most 16 bytes.
  int64_t getVectorWidth() const { return vectorWidth; }
  int64_t getElementBytes() const { return elementBytes; }
  /// Returns the number of elements that a thread accesses.
  int64_t getRegisters() const { return registers; }

  /// Emits whether all vectors of `getVectorWidth` elements are aligned: a
  /// uniform i1. Unless they may be `ragged`, each vector must also be valid as
  /// a whole or not at all.
  Value emitIsAligned(OpBuilder &builder, Location loc, bool ragged = false);

  /// Emits the address of a register's element: a !llvm.ptr<1>, which registers
  /// share, plus a known number of bytes.
  std::pair<Value, int64_t> emitPlace(OpBuilder &builder, Location loc,
                                      int64_t reg);

  /// Emits the address of a register's element, a !llvm.ptr<1>.
  Value emitPointer(OpBuilder &builder, Location loc, int64_t reg);

  /// Emits whether a register's element is valid, an i1; null if always. With
  /// `ahead`, the element that many places after it in its row.
  Value emitIsValid(OpBuilder &builder, Location loc, int64_t reg,
                    int64_t ahead = 0);

  /// Emits whether `count` elements are within the row of a register's element,
  /// whatever their validity; an i1. The first one is `back`, an i32, places
  /// before that element. The row ends at the limit of the access.
  Value emitIsInRow(OpBuilder &builder, Location loc, int64_t reg, Value back,
                    int64_t count);

  /// Emits whether rows have fewer than `count` elements, an i1.
  Value emitIsRowShorter(OpBuilder &builder, Location loc, int64_t count);

  /// Returns the number of lanes, a power of two, that hold consecutive vectors
  /// of a row. They start at a multiple of this number.
  int64_t getNeighbours() const { return neighbours; }

  /// Forgets values at places that do not dominate the present one. Call it at
  /// the start of another branch.
  void startBranch();

private:
  struct Dimension {
    unsigned globalDim;
    OpFoldResult stride;
    bool inBounds;
    /// All i32. If `start` is null, the positions are those of a gather.
    Value start, limit;
    std::vector<Coordinate> positions;
  };

  Value address, baseOffset, mask;
  int64_t registers = 1, elementBytes = 1, vectorWidth = 1, neighbours = 1;
  SmallVector<Dimension> dims;
  bool lastIsContiguous = false;
  std::map<std::vector<int64_t>, Value> pointers, validities;
  /// Numbers of values, for keys.
  llvm::DenseMap<Value, int64_t> numbers;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_GLOBALACCESS_H
