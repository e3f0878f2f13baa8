//===- ScratchAccess.h - Accesses to scratch memory -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCRATCHACCESS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCRATCHACCESS_H

#include "Kernel/LoweringContext.h"
#include "Kernel/TileCoordinates.h"

#include "tessera/Dialect/SM/IR/ScratchTile.h"

namespace tessera::sm {

/// The accesses of one thread for a register layout.
class ScratchAccess {
public:
  /// `base` is the address of the window, an i32. The tile of `layout` may
  /// differ from that of `tile`; then `strides` give the places of its
  /// elements. A place is moved by `offset`. Then the bits of `toggle` are
  /// inverted.
  ScratchAccess(OpBuilder &builder, Location loc, const ScratchTile &tile,
                Value base, const layout::Layout &layout,
                const ThreadGroup &threads,
                std::optional<ArrayRef<int64_t>> strides = {},
                int64_t offset = 0, int64_t toggle = 0);

  /// Stores registers [reg, reg + elements.size()) if they are in the window of
  /// `round`. `predicate` may be null.
  void store(OpBuilder &builder, Location loc, int64_t round, int64_t reg,
             ValueRange elements, Value shift = {}, Value predicate = {}) const;
  /// Loads registers, or returns `otherwise`. `constantShift` and `shift`, an
  /// i32 or null, are added to the place, in elements. `predicate` may be null.
  SmallVector<Value> load(OpBuilder &builder, Location loc, int64_t round,
                          int64_t reg, Type element, ValueRange otherwise,
                          int64_t constantShift = 0, Value shift = {},
                          Value predicate = {}) const;

private:
  /// The address and offset of a register's element in the window, and whether
  /// the element is in the window (null if it always is).
  struct Place {
    Value address;
    int64_t offset;
    Value isThere;
  };
  Place getPlace(OpBuilder &builder, Location loc, int64_t round, int64_t reg,
                 int64_t constantShift, Value shift) const;

  const ScratchTile &tile;
  Value base;
  /// Places of registers, in elements.
  std::vector<Coordinate> places;
};

/// Emits the address in an operation's attribute for its scratch memory, an
/// i32. Fails if the attribute is missing.
FailureOr<Value> emitScratchBase(OpBuilder &builder,
                                 const LoweringContext &context, Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCRATCHACCESS_H
