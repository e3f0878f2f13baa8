//===- SwappedTiles.cpp - Tiles that swap places ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y[m, n] = x[n, m]` moves tiles to the places that a transpose gives them,
// but transposes no tile. Dimensions of different sizes are an error already
// (AxisNames.cpp), and so are tiles of different extents. The check finds the
// other case: a stored value is computed element by element from a load with
// the same two ranges in the other order.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the ranges that a load or a store walks, by axes of its tile; none
/// if some axis is gathered.
static SmallVector<Value> getRanges(ValueRange indices) {
  SmallVector<Value> ranges;
  for (Value index : indices) {
    if (isa<RankedTensorType>(index.getType()))
      return {};
    if (isa<tile::RangeType>(index.getType()))
      ranges.push_back(index);
  }
  return ranges;
}

/// Checks whether two of the ranges are swapped.
static bool areSwapped(ArrayRef<Value> loaded, ArrayRef<Value> stored) {
  if (loaded.size() != stored.size())
    return false;
  for (size_t first = 0; first < stored.size(); ++first)
    for (size_t second = first + 1; second < stored.size(); ++second)
      if (stored[first] != stored[second] && loaded[first] == stored[second] &&
          loaded[second] == stored[first])
        return true;
  return false;
}

/// Returns a load whose elements become the elements of `store` at the same
/// places of the tile, and which walks the ranges in another order; null if
/// there is none.
static tile::LoadOp findSwappedLoad(tile::StoreOp store) {
  SmallVector<Value> ranges = getRanges(store.getIndices());
  if (ranges.size() < 2)
    return nullptr;
  SmallVector<Value> open = {store.getValue()};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && areSwapped(getRanges(load.getIndices()), ranges))
      return load;
    if (op->hasTrait<OpTrait::Elementwise>())
      llvm::append_range(open, op->getOperands());
  }
  return nullptr;
}

static void warnOfSwappedTile(KernelContext &context, tile::StoreOp store) {
  tile::LoadOp load = findSwappedLoad(store);
  if (!load)
    return;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, load);
  if (!diagnostic)
    return;
  *diagnostic << "this tile of " << getTensorName(context, load.getGlobal())
              << " is stored with its ranges swapped, but is not transposed "
                 "[swapped-tiles]";
  diagnostic->attachNote(findPlace(store.getLoc()))
      << "the store is here; transpose the loaded tile, as in `x[n, m].T` for "
         "`y[m, n]`, or load with the ranges in the order of the store; if "
         "only tiles move, load at another range, such as `tile(n.start, N, "
         "64)`";
  noteCall(*diagnostic, load);
}

void tessera::frontend::warnOfSwappedTiles(KernelContext &context,
                                           tile::KernelOp kernel) {
  kernel.walk([&](tile::StoreOp store) { warnOfSwappedTile(context, store); });
}
