//===- OtherPrograms.cpp - Elements of other programs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of the grid run in any order. If several of them store different
// values to one element, any of the values remains. If one loads elements that
// another one stores, it sees either value. This file finds two patterns where
// that is certain:
// - the value of a store depends on an axis of the grid, but its position and
//   its conditions do not;
// - a load is a constant distance away from a store to the same tensor, along a
//   dimension over which the grid goes.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "ProgramSlices.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

using namespace tessera;
using namespace tessera::frontend;

static void warnOfOverwriting(KernelContext &context, tile::StoreOp store) {
  SmallVector<GridAxis> axes = getRepeatedAxes(context, store);
  if (axes.empty())
    return;
  llvm::SetVector<Value> slice = getSlice(store.getValue());
  auto *axis = llvm::find_if(axes, [&](const GridAxis &axis) {
    return slice.contains(axis.argument);
  });
  if (axis == axes.end())
    return;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, store);
  if (!diagnostic)
    return;
  StringRef name = axis->axis->name.text;
  bool isRange = isa<tile::RangeType>(axis->argument.getType());
  *diagnostic << "programs along `" << name
              << "` store different values to the same elements of "
              << getTensorName(context, store.getGlobal())
              << ", and one of the values remains [overwritten-store]";
  context.note(*diagnostic, axis->axis->name.place)
      << "to combine the values, loop over `" << name
      << "` in one program instead of the grid, or use `atomic_add`; to store "
         "the value of one program, write `if "
      << name << (isRange ? ".start" : "") << " == 0 { … }`";
  noteCall(*diagnostic, store);
}

/// Returns the first position of an index; nothing for a gather.
static std::optional<tile::LinearExpr> getStart(Value index) {
  if (isa<tile::RangeType>(index.getType()))
    return tile::LinearExpr::getStart(index);
  if (index.getType().isIndex())
    return tile::LinearExpr::get(index);
  return std::nullopt;
}

/// Checks whether `load` reads elements that another program stores by `store`:
/// along some axis of the grid the positions have a constant distance.
static bool readsOtherProgram(tile::LoadOp load, tile::StoreOp store,
                              ArrayRef<GridAxis> axes) {
  if (load.getGlobal() != store.getGlobal())
    return false;
  bool isOther = false;
  for (auto [read, written] :
       llvm::zip_equal(load.getIndices(), store.getIndices())) {
    std::optional<tile::LinearExpr> from = getStart(read),
                                    to = getStart(written);
    if (!from || !to)
      return false;
    tile::LinearExpr distance = *from - *to;
    if (!distance.isConstant())
      return false;
    if (distance.getConstant() == 0)
      continue;
    // Other constant positions are other elements.
    if (llvm::none_of(axes, [&](const GridAxis &axis) {
          return to->getCoefficient(axis.argument) != 0;
        }))
      return false;
    isOther = true;
  }
  return isOther;
}

static void warnOfSharedElements(KernelContext &context, tile::LoadOp load,
                                 MutableArrayRef<tile::StoreOp> stores,
                                 ArrayRef<GridAxis> axes) {
  auto *store = llvm::find_if(stores, [&](tile::StoreOp store) {
    return readsOtherProgram(load, store, axes);
  });
  if (store == stores.end())
    return;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, load);
  if (!diagnostic)
    return;
  *diagnostic << "this load from " << getTensorName(context, load.getGlobal())
              << " reads elements that other programs store, before or after "
                 "they do [unordered-load]";
  diagnostic->attachNote(findPlace(store->getLoc()))
      << "the store is here; store to another tensor, and swap the two between "
         "launches";
  noteCall(*diagnostic, load);
}

void tessera::frontend::warnOfOtherPrograms(KernelContext &context,
                                            tile::KernelOp kernel) {
  if (hasOrderedPrograms(kernel))
    return;
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    stores.push_back(store);
    warnOfOverwriting(context, store);
  });
  SmallVector<GridAxis> axes = getGridAxes(context, kernel);
  if (stores.empty() || axes.empty())
    return;
  kernel.walk([&](tile::LoadOp load) {
    if (load.getGlobalType().isWritable())
      warnOfSharedElements(context, load, stores, axes);
  });
}
