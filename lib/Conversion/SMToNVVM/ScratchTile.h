//===- ScratchTile.h - A tile on its way through memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles that change hands lie in scratch memory row by row; rows are padded by
// 16 bytes, so that columns are spread over the banks. A tile that is larger
// than scratch memory may be goes in rounds: in each, a part of the tile, all
// that lies in a window of addresses, is written and read.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SCRATCHTILE_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SCRATCHTILE_H

#include "LoweringContext.h"
#include "TileCoordinates.h"

namespace tessera::sm {

class ScratchTile {
public:
  ScratchTile(ArrayRef<int64_t> shape, int64_t elementBytes);

  ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getElementBytes() const { return elementBytes; }
  /// With padding.
  int64_t getNumElements() const { return elements; }
  int64_t getRounds() const;
  /// Of the window of one round.
  int64_t getBytes() const;
  /// The widest access for `registers`, in elements.
  int64_t getVectorWidth(const layout::Layout &registers) const;

private:
  friend class ScratchAccess;
  int64_t getWindow() const;

  SmallVector<int64_t> strides;
  int64_t elements = 1;
  int64_t elementBytes;
};

/// The accesses of one thread for a register layout.
class ScratchAccess {
public:
  /// `base` is the address of the window, an i32. The tile of `layout` may be
  /// another one; then `strides` say where its elements lie.
  ScratchAccess(OpBuilder &builder, Location loc, const ScratchTile &tile,
                Value base, const layout::Layout &layout,
                const ThreadGroup &threads,
                std::optional<ArrayRef<int64_t>> strides = {});

  /// Stores registers [reg, reg + elements.size()) if they are in the window of
  /// `round`.
  void store(OpBuilder &builder, Location loc, int64_t round, int64_t reg,
             ValueRange elements, Value shift = {}) const;
  /// Loads registers, or passes on `otherwise`. `constantShift` and `shift`, an
  /// i32 or null, are added to the place in elements; `predicate` may be null.
  SmallVector<Value> load(OpBuilder &builder, Location loc, int64_t round,
                          int64_t reg, Type element, ValueRange otherwise,
                          int64_t constantShift = 0, Value shift = {},
                          Value predicate = {}) const;

private:
  /// The address and offset of a register's element in the window, and whether
  /// it is there (null if it must be).
  struct Place {
    Value address;
    int64_t offset;
    Value isThere;
  };
  Place getPlace(OpBuilder &builder, Location loc, int64_t round, int64_t reg,
                 int64_t constantShift, Value shift) const;

  const ScratchTile &tile;
  Value base;
  /// In elements.
  std::vector<Coordinate> places;
};

/// The address that an operation's attribute gives to its scratch memory, an
/// i32; an error if it has none.
FailureOr<Value> emitScratchBase(OpBuilder &builder,
                                 const LoweringContext &context, Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SCRATCHTILE_H
