//===- Exchange.h - Exchange of elements by threads -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of a conversion of layouts, a reduction or a scan alone determine
// its lowering. So its shared memory is known before the lowering. The lowering
// carries out the decisions of these functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_EXCHANGE_H
#define TESSERA_DIALECT_SM_IR_EXCHANGE_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/ScratchTile.h"
#include "tessera/Dialect/Tile/IR/IndexMap.h"
#include "tessera/Layout/Rearrangement.h"

namespace tessera::sm {

/// Returns the type in which elements of `element` are combined: f32, i32 or
/// i64.
Type getWorkType(Type element);

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// By register of the result, the register of the source in the same thread;
/// nothing if the tile goes through scratch memory, as `RearrangedTile`.
std::optional<SmallVector<int64_t>> getRenaming(ConvertOp op);

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

/// By register of the result, a place of the source in the same warp; nothing
/// if the sources go through scratch memory, as `RearrangedTile`.
std::optional<std::vector<layout::RegisterSource>>
getRegisterSources(RearrangeOp op);

/// The way of tiles through scratch memory, where an index map selects the
/// elements of the result. A change of layout has the map of all elements.
struct RearrangedTile {
  ScratchTile tile;
  /// Strides of each source in scratch memory, and the place of its first
  /// element.
  SmallVector<SmallVector<int64_t>> sourceStrides;
  SmallVector<int64_t> sourceBegins;
  /// Of the result in scratch memory.
  tile::IndexMap map;

  static RearrangedTile get(TypeRange sources, const tile::IndexMap &map,
                            RankedTensorType result);
  /// Elements that one access of the result moves.
  int64_t getLoadWidth(const layout::Layout &result) const;
  /// Elements that one access of a source moves.
  int64_t getStoreWidth(unsigned source, const layout::Layout &layout) const;
};
RearrangedTile getRearrangedTile(ConvertOp op);
RearrangedTile getRearrangedTile(RearrangeOp op);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A reduction in steps: in a thread, over lanes, over warps.
struct ReducePlan {
  /// By register of the source that counts: the register of the result.
  SmallVector<std::pair<int64_t, int64_t>> targets;
  /// The bits of the lane over which to combine.
  SmallVector<int64_t> laneBits;
  /// Place and count of the digits of the warp over which to combine.
  SmallVector<std::pair<int64_t, int64_t>> warpDigits;
  /// How many warps share a result.
  int64_t parts = 1;

  /// Nothing if the general way must be taken: the source goes through scratch
  /// memory, as `getScratchTile`.
  static std::optional<ReducePlan> get(ReduceOp op);
};

ScratchTile getScratchTile(ReduceOp op);

/// The part of each result that the warps hold, in shared memory. One access
/// reads several elements: neighbours of a row, if a thread has such, else
/// parts of a result. Side by side, neighbouring elements of a row would be one
/// word per part apart. The lanes of a warp would then meet in few banks.
struct PartsTile {
  ScratchTile tile;
  /// Of the results.
  SmallVector<int64_t> strides;
  int64_t partStride;
  /// Results that one access moves, and parts of a result that it reads.
  int64_t rowWidth, partWidth;

  static PartsTile get(ReduceOp op, const ReducePlan &plan);
};

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// A digit of the position on an axis, of `count` values, in the number of a
/// register, a lane or a warp, where one step is worth `place`.
struct AxisDigit {
  enum Kind { Register, Lane, Warp };

  Kind kind;
  int64_t place, count;

  int64_t get(int64_t number) const { return number / place % count; }
};

/// Checks whether the result is the source: the axis has one position.
bool changesNothing(ScanOp op);

/// Returns the digits of the positions on `axis`, the least significant first;
/// nothing if the layout does not represent positions by digits.
std::optional<SmallVector<AxisDigit>>
getAxisDigits(const layout::Layout &layout, unsigned axis);

/// As above; without digits, the tile goes through scratch memory, as
/// `getScratchTile`.
std::optional<SmallVector<AxisDigit>> getScanDigits(ScanOp op);
ScratchTile getScratchTile(ScanOp op);

/// Checks whether elements are exchanged between warps.
bool isAmongWarps(ArrayRef<AxisDigit> digits);
/// How many registers of `work` that many warps exchange at a time.
int64_t getExchangedRegisters(Type work, int64_t warps);

//===----------------------------------------------------------------------===//
// Scratch memory, in bytes
//===----------------------------------------------------------------------===//

int64_t getConvertScratch(ConvertOp op);
int64_t getRearrangeScratch(RearrangeOp op);
int64_t getReduceScratch(ReduceOp op);
int64_t getScanScratch(ScanOp op);
/// Of sources that are exchanged one after the other.
int64_t getWithScratch(Operation *op, ValueRange sources, unsigned axis);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_EXCHANGE_H
