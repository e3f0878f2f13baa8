//===- OutsideAccesses.cpp - Accesses past the end --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements past the end of a tensor are masked, so a wrong offset has no error:
// a load yields zeros, and a store does nothing. This file finds accesses whose
// elements are past the end in every run. The first position minus the size of
// the dimension is a linear expression in the sizes of the kernel. Terms that
// are never negative are left out of it, and no other term may be negative.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// constant + sum of coefficient * size.
struct SizeSum {
  int64_t constant = 0;
  llvm::MapVector<StringAttr, int64_t> coefficients;

  /// Adds `factor` times a size; returns false if the size is not linear.
  bool add(AffineExpr expr, ArrayRef<StringAttr> symbols, int64_t factor) {
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      constant += factor * number.getValue();
      return true;
    }
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      coefficients[symbols[symbol.getPosition()]] += factor;
      return true;
    }
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (expr.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), symbols, factor) &&
             add(binary.getRHS(), symbols, factor);
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return expr.getKind() == AffineExprKind::Mul && scale &&
           add(binary.getLHS(), symbols, factor * scale.getValue());
  }
  bool add(tile::SizeAttr size, int64_t factor) {
    return add(size.getExpr(), size.getSymbols(), factor);
  }
};
} // namespace

/// Checks whether all positions of an index are at least `size` in every run.
static bool isPastEnd(const KernelContext &context, Value index,
                      tile::SizeAttr size) {
  // `tile(low, high, B)` has an end of its own, and may be empty.
  if (index.getDefiningOp<tile::RangeOp>())
    return false;
  tile::LinearExpr first;
  if (isa<tile::RangeType>(index.getType()))
    first = tile::LinearExpr::getStart(index);
  else if (index.getType().isIndex())
    first = tile::LinearExpr::get(index);
  else
    return false;
  SizeSum difference;
  difference.constant = first.getConstant();
  if (!difference.add(size, -1))
    return false;
  for (auto [atom, coefficient] : first.getTerms()) {
    auto known = atom.getDefiningOp<tile::SizeOp>();
    bool isDropped = !known && coefficient > 0 &&
                     tile::LinearExpr::get(atom).isNonNegative();
    if (!isDropped && (!known || !difference.add(known.getSize(), coefficient)))
      return false;
  }
  // A size that is a parameter may be negative.
  return difference.constant >= 0 &&
         llvm::all_of(difference.coefficients, [&](const auto &term) {
           return term.second == 0 ||
                  (term.second > 0 &&
                   !context.signature.scalarParameters.contains(
                       term.first.getValue()));
         });
}

template <typename OpTy>
static void warnOfAccess(KernelContext &context, OpTy access) {
  tile::GlobalType global = access.getGlobalType();
  for (auto [dim, index] : llvm::enumerate(access.getIndices())) {
    tile::SizeAttr size = global.getShape()[dim];
    if (!isPastEnd(context, index, size))
      continue;
    std::optional<InFlightDiagnostic> diagnostic = warnAt(context, access);
    if (!diagnostic)
      return;
    bool isLoad = isa<tile::LoadOp>(access);
    *diagnostic << (isLoad ? "this load from " : "this store to ")
                << getTensorName(context, access.getGlobal())
                << " is past the end of dimension " << dim << ", which is `"
                << size.str() << "`, in every program [outside-access]";
    diagnostic->attachNote(findPlace(access.getLoc()))
        << "positions begin at 0; "
        << (isLoad ? "write `zeros(…)` if no element is meant to be loaded"
                   : "remove the store if no element is meant to be stored");
    noteCall(*diagnostic, access);
    return;
  }
}

void tessera::frontend::warnOfOutsideAccesses(KernelContext &context,
                                              tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      warnOfAccess(context, load);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      warnOfAccess(context, store);
    else if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      warnOfAccess(context, atomic);
  });
}
