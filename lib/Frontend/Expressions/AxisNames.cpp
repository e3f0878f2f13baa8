//===- AxisNames.cpp - Checks of the sizes that axes walk -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extents of a square tile do not distinguish it from its transpose. So
// each axis of a tile carries the name of the size that its range walks, and
// the axes of combined tiles must have equal names. An axis without a name
// agrees with every name. A `var` has no axis names: a later value may walk
// other sizes.
//
//   x[m, k] + y[k, m]   error: the operands walk `M` and `K` along axis 0
//
//===----------------------------------------------------------------------===//

#include "AxisNames.h"
#include "Shapes.h"

using namespace tessera;
using namespace tessera::frontend;

static bool agree(StringAttr name, StringAttr other) {
  return !name || !other || name == other;
}

/// Checks whether the transpose of `other` would agree with `names`. `other`
/// itself disagrees along `axis`.
static bool agreeTransposed(ArrayRef<int64_t> shape, ArrayRef<StringAttr> names,
                            const Entity &other, unsigned axis) {
  return shape.size() == 2 && shape[0] == other.getShape()[1] &&
         shape[1] == other.getShape()[0] &&
         names[axis] == other.getAxisName(1 - axis) &&
         agree(names[1 - axis], other.getAxisName(axis));
}

/// Suggests a shifted range, after the better suggestion `hint` if there is
/// one.
static void noteShift(Diagnostic &note, StringRef hint, StringAttr name,
                      StringAttr other) {
  note << hint << (hint.empty() ? "" : "; ") << "if `" << name.getValue()
       << "` and `" << other.getValue()
       << "` are meant to be equal, index with a shifted range such as `0 + "
          "n`, whose axis has no name";
}

bool tessera::frontend::joinAxisNames(KernelContext &context,
                                      ArrayRef<Entity> operands,
                                      SourcePlace place, StringRef what,
                                      AxisNames &names) {
  auto tiles = llvm::make_filter_range(operands, [](const Entity &operand) {
    return operand.is(Entity::Kind::Tile);
  });
  SmallVector<int64_t> shape;
  for (const Entity &tile : tiles) {
    shape.resize(tile.getShape().size(), 1);
    joinShapes(shape, tile.getShape());
  }
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    const Entity *source = nullptr;
    bool isDisputed = false;
    for (const Entity &tile : tiles) {
      // A repeated axis takes the name of the axis along which it repeats.
      StringAttr name = tile.getAxisName(axis);
      if (!name || tile.getShape()[axis] != extent)
        continue;
      if (!source) {
        source = &tile;
        continue;
      }
      StringAttr other = source->getAxisName(axis);
      if (name == other)
        continue;
      // With greater extents one of the two might be repeated.
      if (extent == 1) {
        isDisputed = true;
        continue;
      }
      auto diagnostic = context.error(place);
      diagnostic << "the operands of " << what << " walk `" << other.getValue()
                 << "` and `" << name.getValue() << "` along axis " << axis;
      StringRef hint;
      if (agreeTransposed(source->getShape(), source->getAxisNames(), tile,
                          axis))
        hint = "with a `.T` on one of them they would agree";
      else if (shape.size() == 1)
        hint = "`[:, _]` on one and `[_, :]` on the other combine each element "
               "with each";
      noteShift(context.note(diagnostic, place), hint, other, name);
      return false;
    }
    names.push_back(source && !isDisputed ? source->getAxisName(axis)
                                          : StringAttr());
  }
  return true;
}

bool tessera::frontend::checkProductAxes(KernelContext &context,
                                         const Entity &lhs, const Entity &rhs,
                                         SourcePlace place) {
  StringAttr left = lhs.getAxisName(1), right = rhs.getAxisName(0);
  if (agree(left, right))
    return true;
  auto diagnostic = context.error(place);
  diagnostic << "the product sums over `" << left.getValue()
             << "` of the left operand and `" << right.getValue()
             << "` of the right one";
  auto suggest = [](const Entity &operand, StringRef which, StringAttr size) {
    bool transposed = operand.getValue().getDefiningOp<tile::TransposeOp>();
    return ((transposed ? "without its `.T` the " : "with a `.T` the ") +
            which + " operand would walk `" + size.getValue() + "` there")
        .str();
  };
  std::string hint;
  if (rhs.getAxisName(1) == left && rhs.getShape()[1] == lhs.getShape()[1])
    hint = suggest(rhs, "right", left);
  else if (lhs.getAxisName(0) == right &&
           lhs.getShape()[0] == rhs.getShape()[0])
    hint = suggest(lhs, "left", right);
  else if (StringAttr size = lhs.getAxisName(0);
           size && size == rhs.getAxisName(1) &&
           lhs.getShape()[0] == rhs.getShape()[1])
    hint = ("with the operands swapped, or with both transposed, it would sum "
            "over `" +
            size.getValue() + "`")
               .str();
  noteShift(context.note(diagnostic, place), hint, left, right);
  return false;
}

bool tessera::frontend::checkStoredAxes(KernelContext &context,
                                        const AxisNames &walkedNames,
                                        const Entity &value, SourcePlace place,
                                        StringRef what) {
  if (!value.is(Entity::Kind::Tile))
    return true;
  for (auto [axis, walked] : llvm::enumerate(walkedNames)) {
    StringAttr name = value.getAxisName(axis);
    if (agree(name, walked))
      continue;
    auto diagnostic = context.error(place);
    diagnostic << what << " walks `" << name.getValue() << "` along axis "
               << axis << ", but the index walks `" << walked.getValue() << "`";
    StringRef hint;
    if (agreeTransposed(value.getShape(), walkedNames, value, axis))
      hint = "with a `.T` the value would agree";
    noteShift(context.note(diagnostic, place), hint, name, walked);
    return false;
  }
  return true;
}
