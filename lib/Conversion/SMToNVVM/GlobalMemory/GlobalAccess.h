//===- GlobalAccess.h - Addresses and validity of a box ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of loads, stores and atomic additions. For each register of a
// tile: the address of its element, and whether the element is valid. Address
// and coordinates are sums of a part of the thread and a constant of the
// register; the parts of the thread are computed once.
//
// Elements that registers hold side by side are accessed together where the
// addresses are aligned. That depends on strides, starts and limits of the
// launch, so it is tested once per operation, by a condition that is uniform.
// Where they are not, UnalignedLoads.h has a way for long vectors.
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
  for (unsigned i = 0; i < operands.dims.size(); ++i)
    operands.inBounds.push_back(op.isInBounds(i));
  return operands;
}

class GlobalAccess {
public:
  /// `layout` is that of the tile; it has rank 0 for a scalar. All threads of
  /// `threads` take part.
  static FailureOr<GlobalAccess> get(OpBuilder &builder, Operation *op,
                                     const LoweringContext &context,
                                     const AccessOperands &operands,
                                     const layout::Layout &layout);

  /// Returns the most elements to access together, a power of two, at most 16
  /// bytes.
  int64_t getVectorWidth() const { return vectorWidth; }
  int64_t getElementBytes() const { return elementBytes; }
  /// How many elements a thread accesses.
  int64_t getRegisters() const { return registers; }

  /// Whether all vectors of `getVectorWidth` elements are aligned and, unless
  /// they may be `ragged`, valid as a whole or not at all: an i1 that is
  /// uniform.
  Value emitIsAligned(OpBuilder &builder, Location loc, bool ragged = false);

  /// Emits the address of a register's element as a !llvm.ptr<1>, which
  /// registers share, and bytes that are known.
  std::pair<Value, int64_t> emitPlace(OpBuilder &builder, Location loc,
                                      int64_t reg);

  /// Emits the address of a register's element, a !llvm.ptr<1>.
  Value emitPointer(OpBuilder &builder, Location loc, int64_t reg);

  /// Whether a register's element is valid, an i1; null if always. With
  /// `ahead`, the element that many places after it in its row.
  Value emitIsValid(OpBuilder &builder, Location loc, int64_t reg,
                    int64_t ahead = 0);

  /// Whether the `count` elements from `back`, an i32, places before a
  /// register's element on are within its row, whatever their validity; an i1.
  /// The row ends at the limit of the access.
  Value emitIsInRow(OpBuilder &builder, Location loc, int64_t reg, Value back,
                    int64_t count);

  /// Whether rows have fewer than `count` elements, an i1.
  Value emitIsRowShorter(OpBuilder &builder, Location loc, int64_t count);

  /// How many lanes from a multiple of this number on, a power of two, hold
  /// vectors that follow each other in a row.
  int64_t getNeighbours() const { return neighbours; }

  /// Forgets what was computed at places that do not dominate the present one:
  /// at the start of another branch.
  void startBranch();

private:
  struct Dimension {
    unsigned globalDim;
    OpFoldResult stride;
    bool inBounds;
    /// All i32. Without `start`, the positions are those of a gather.
    Value start, limit;
    std::vector<Coordinate> positions;
  };

  Value address, baseOffset, mask;
  int64_t registers = 1, elementBytes = 1, vectorWidth = 1, neighbours = 1;
  SmallVector<Dimension> dims;
  bool lastIsContiguous = false;
  std::map<std::vector<int64_t>, Value> pointers, validities;
  /// Numbers for values, as keys.
  llvm::DenseMap<Value, int64_t> numbers;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_GLOBALACCESS_H
