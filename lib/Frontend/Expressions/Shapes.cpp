//===- Shapes.cpp - Common shapes of operands -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Broadcasting: dimensions of extent 1 repeat, other extents must be equal. The
// ranks must be equal as well; `[:, _]` adds a dimension.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

using namespace tessera;
using namespace tessera::frontend;

bool tessera::frontend::joinShapes(SmallVectorImpl<int64_t> &shape,
                                   ArrayRef<int64_t> other) {
  if (shape.size() != other.size())
    return false;
  for (auto [extent, otherExtent] : llvm::zip_equal(shape, other)) {
    if (extent == 1)
      extent = otherExtent;
    else if (otherExtent != 1 && otherExtent != extent)
      return false;
  }
  return true;
}

/// Checks whether `shape` and the transpose of a tile of `other` match.
static bool wouldMatchTransposed(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> other) {
  if (other.size() != 2)
    return false;
  SmallVector<int64_t> joined(shape);
  return joinShapes(joined, {other[1], other[0]});
}

void tessera::frontend::noteCombinedPositions(KernelContext &context,
                                              InFlightDiagnostic &diagnostic,
                                              const Entity &tile,
                                              SourcePlace place) {
  auto load = tile.is(Entity::Kind::Tile)
                  ? tile.getValue().getDefiningOp<tile::LoadOp>()
                  : tile::LoadOp();
  if (!load || load.getAxesAttr())
    return;
  auto isTile = [](Value index) {
    return isa<RankedTensorType>(index.getType());
  };
  size_t axes = llvm::count_if(load.getIndices(), [](Value index) {
    return !index.getType().isIndex();
  });
  if (axes > 1 && llvm::any_of(load.getIndices(), isTile))
    context.note(diagnostic, place)
        << "`x[m, t[m]]` takes each position of `t[m]` in each row `m`; "
           "`x[(m, t[m])]` takes one element of each row";
}

bool tessera::frontend::findCommonShape(
    KernelContext &context, ArrayRef<Entity> operands, SourcePlace place,
    StringRef what, std::optional<SmallVector<int64_t>> &shape,
    StringRef hint) {
  const Entity *first = nullptr;
  for (const Entity &operand : operands) {
    if (!operand.is(Entity::Kind::Tile))
      continue;
    if (!shape) {
      shape = llvm::to_vector(operand.getShape());
      first = &operand;
      continue;
    }
    if (joinShapes(*shape, operand.getShape()))
      continue;
    auto diagnostic = context.error(place);
    diagnostic << "the shapes of the operands of " << what
               << " do not match: " << (first ? first->describe() : "a tile")
               << " and " << operand.describe();
    if (shape->size() != operand.getShape().size())
      context.note(diagnostic, place)
          << "only dimensions of extent 1 are repeated; `[:, _]` and `[_, :]` "
             "add one";
    else if (wouldMatchTransposed(*shape, operand.getShape()))
      context.note(diagnostic, place)
          << "only dimensions of extent 1 are repeated; the shapes would match "
             "with a `.T` on one of them, or with `[_, :]` instead of `[:, _]`";
    else
      context.note(diagnostic, place)
          << "only dimensions of extent 1 are repeated" << hint;
    if (shape->size() != operand.getShape().size())
      for (const Entity &tile : operands)
        noteCombinedPositions(context, diagnostic, tile, place);
    return false;
  }
  return true;
}
