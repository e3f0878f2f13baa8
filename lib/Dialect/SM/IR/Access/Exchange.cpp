//===- Exchange.cpp - Exchange of elements in conversions -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/FreeDigits.h"
#include "tessera/Layout/RegisterMatching.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Digit;
using layout::Layout;
using layout::Point;

Type sm::getWorkType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isF64())
    return element;
  if (isa<FloatType>(element))
    return Float32Type::get(context);
  return IntegerType::get(context, element.isInteger(64) ? 64 : 32);
}

/// Lanes of a warp.
static constexpr int64_t kLanes = 32;

/// Checks whether several threads hold an element of a tile.
static bool isHeldSeveralTimes(ConvertOp op) {
  const Layout &layout = getLayout(op.getSource().getType());
  return layout.getSize(layout::kLane) < kLanes ||
         layout.getSize(layout::kWarp) < getWarps(op) ||
         llvm::any_of(
             layout::getFreeDigits(layout),
             [&](const Digit *digit) {
               return layout.findAxis(layout::kRegister) != digit->axis;
             });
}

std::optional<SmallVector<int64_t>> sm::getRenaming(ConvertOp op) {
  if (op.getShare() && isHeldSeveralTimes(op))
    return std::nullopt;
  return matchRegisters(getLayout(op.getSource().getType()),
                        getLayout(op.getType()),
                        [](Point element) { return element; });
}

int64_t sm::getConvertScratch(ConvertOp op) {
  return getRenaming(op) ? 0 : getRearrangedTile(op).tile.getBytes();
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

std::optional<std::vector<layout::RegisterSource>>
sm::getRegisterSources(RearrangeOp op) {
  std::vector<layout::Layout> sources;
  for (Type type : op.getSources().getTypes())
    sources.push_back(getLayout(type));
  return layout::findRegisterSources(
      sources, getLayout(op.getType()),
      tile::IndexMap::get(op).evaluateAll(
          cast<RankedTensorType>(op.getType()).getShape()));
}

/// Returns `map` for rows of `columns` elements that are `distance` elements
/// apart; nothing if a dimension crosses rows in unequal steps.
static std::optional<tile::IndexMap> padRows(tile::IndexMap map,
                                             ArrayRef<int64_t> shape,
                                             int64_t columns,
                                             int64_t distance) {
  if (map.toggle != 0)
    return std::nullopt;
  int64_t least = map.offset % columns, most = least;
  for (auto [extent, stride] : llvm::zip_equal(shape, map.strides)) {
    if (stride % columns == 0)
      stride = stride / columns * distance;
    else
      (stride < 0 ? least : most) += (extent - 1) * stride;
  }
  if (least < 0 || most >= columns)
    return std::nullopt;
  map.offset = map.offset / columns * distance + map.offset % columns;
  return map;
}

RearrangedTile RearrangedTile::get(TypeRange sources, const tile::IndexMap &map,
                                   RankedTensorType result) {
  int64_t bytes = getElementBytes(result.getElementType());
  auto first = cast<RankedTensorType>(sources.front());
  if (sources.size() == 1) {
    ScratchTile rows(first.getShape(), bytes);
    if (first.getRank() < 2)
      return {rows, {llvm::to_vector(rows.getStrides())}, {0}, map};
    if (std::optional<tile::IndexMap> padded =
            padRows(map, result.getShape(), first.getShape().back(),
                    rows.getStrides()[first.getRank() - 2]))
      return {rows, {llvm::to_vector(rows.getStrides())}, {0}, *padded};
  }
  int64_t elements = 0;
  SmallVector<SmallVector<int64_t>> strides;
  SmallVector<int64_t> begins;
  for (Type type : sources) {
    auto source = cast<RankedTensorType>(type);
    strides.push_back(tile::getRowStrides(source.getShape()));
    begins.push_back(elements);
    elements += source.getNumElements();
  }
  return {ScratchTile({elements}, bytes), strides, begins, map};
}

/// Returns the greatest common divisor of a power of two and the numbers.
static int64_t getCommonWidth(int64_t width, ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    while (number % width != 0)
      width /= 2;
  return width;
}

int64_t RearrangedTile::getLoadWidth(const layout::Layout &result) const {
  if (map.strides.empty() || map.strides.back() != 1)
    return 1;
  int64_t width =
      getCommonWidth(tile.getVectorWidth(result), {map.offset, map.toggle});
  return getCommonWidth(width, ArrayRef(map.strides).drop_back());
}

int64_t RearrangedTile::getStoreWidth(unsigned source,
                                      const layout::Layout &layout) const {
  return getCommonWidth(tile.getVectorWidth(layout), sourceBegins[source]);
}

RearrangedTile sm::getRearrangedTile(ConvertOp op) {
  return RearrangedTile::get(
      op->getOperandTypes(),
      tile::IndexMap::getReshape(op.getType().getShape()), op.getType());
}

RearrangedTile sm::getRearrangedTile(RearrangeOp op) {
  return RearrangedTile::get(op->getOperandTypes(), tile::IndexMap::get(op),
                             cast<RankedTensorType>(op.getType()));
}

int64_t sm::getRearrangeScratch(RearrangeOp op) {
  return getRegisterSources(op) ? 0 : getRearrangedTile(op).tile.getBytes();
}
