//===- SMTypes.cpp - Types of the sm dialect --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keywords.h"

#include "tessera/Dialect/SM/IR/RingDepth.h"
#include "tessera/Dialect/SM/IR/SM.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Swizzle;

//===----------------------------------------------------------------------===//
// SmemType
//===----------------------------------------------------------------------===//

int64_t SmemType::getNumElements() const {
  return ShapedType::getNumElements(getShape());
}

int64_t SmemType::getElementBytes() const {
  return sm::getElementBytes(getElementType());
}

int64_t SmemType::getAlignment() const {
  return layout::getAlignment(getSwizzle());
}

layout::Layout SmemType::getLayout() const {
  // Cannot fail: the verifier has made it once.
  return llvm::cantFail(
      layout::getSharedTile(getShape(), getElementBytes(), getSwizzle()));
}

SmemType SmemType::getWidest(RankedTensorType type) {
  int64_t bytes = sm::getElementBytes(type.getElementType());
  int64_t row = type.getShape().back() * bytes;
  for (Swizzle swizzle : {Swizzle::B128, Swizzle::B64, Swizzle::B32}) {
    if (row % static_cast<int64_t>(swizzle) != 0)
      continue;
    llvm::Expected<layout::Layout> layout =
        layout::getSharedTile(type.getShape(), bytes, swizzle);
    if (layout)
      return SmemType::get(type.getContext(), type.getShape(),
                           type.getElementType(), swizzle);
    llvm::consumeError(layout.takeError());
  }
  // Any tile has its rows one after the other.
  return SmemType::get(type.getContext(), type.getShape(),
                       type.getElementType(), Swizzle::None);
}

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               Swizzle swizzle) {
  if (!tile::isElementType(elementType))
    return emitError() << "expected an element type of tiles, got "
                       << elementType;
  if (shape.empty())
    return emitError() << "expected a shared tile of at least one dimension";
  if (failed(tile::verifyTileShape(emitError, shape)))
    return failure();
  llvm::Expected<layout::Layout> layout =
      layout::getSharedTile(shape, sm::getElementBytes(elementType), swizzle);
  if (!layout)
    return emitError() << "no such tile in shared memory: "
                       << llvm::toString(layout.takeError());
  return success();
}

void SmemType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType();
  if (getSwizzle() != Swizzle::None)
    printer << ", swizzle = " << static_cast<int64_t>(getSwizzle());
  printer << ">";
}

Type SmemType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  Swizzle swizzle = Swizzle::None;
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("swizzle") || parser.parseEqual())
      return {};
    SMLoc bytesLoc = parser.getCurrentLocation();
    int64_t bytes;
    if (parser.parseInteger(bytes) ||
        readSwizzle(parser, bytesLoc, bytes, swizzle))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SmemType>(
      loc, parser.getContext(), ArrayRef<int64_t>(shape), elementType, swizzle);
}

//===----------------------------------------------------------------------===//
// RingType, SlotType, SlotsType
//===----------------------------------------------------------------------===//

static void printTiles(AsmPrinter &printer, ArrayRef<SmemType> tiles) {
  printer << "[";
  llvm::interleaveComma(tiles, printer,
                        [&](SmemType tile) { printer << Type(tile); });
  printer << "]";
}

static ParseResult parseSmem(AsmParser &parser, SmemType &tile) {
  return parser.parseType(tile);
}

static ParseResult parseTiles(AsmParser &parser,
                              SmallVectorImpl<SmemType> &tiles) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseSmem(parser, tiles.emplace_back());
  });
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots, ArrayRef<SmemType> tiles) {
  if (slots < 1 || slots > kMostRingSlots)
    return emitError() << "expected 1 to " << kMostRingSlots << " slots, got "
                       << slots;
  if (tiles.empty())
    return emitError() << "expected a ring to carry at least one tile";
  return success();
}

void RingType::print(AsmPrinter &printer) const {
  printer << "<" << getSlots() << " x ";
  printTiles(printer, getTiles());
  printer << ">";
}

Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t slots;
  SmallVector<SmemType> tiles;
  if (parser.parseLess() || parser.parseInteger(slots) ||
      parser.parseKeyword("x") || parseTiles(parser, tiles) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<RingType>(loc, parser.getContext(), slots,
                                     ArrayRef<SmemType>(tiles));
}

void SlotType::print(AsmPrinter &printer) const {
  printer << "<";
  printTiles(printer, getTiles());
  printer << ">";
}

Type SlotType::parse(AsmParser &parser) {
  SmallVector<SmemType> tiles;
  if (parser.parseLess() || parseTiles(parser, tiles) || parser.parseGreater())
    return {};
  return SlotType::get(parser.getContext(), tiles);
}

LogicalResult SlotsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count, SmemType tile) {
  if (count < 1 || count > kMostRingSlots)
    return emitError() << "expected 1 to " << kMostRingSlots << " slots, got "
                       << count;
  if (tile.getBytes() % tile.getAlignment() != 0)
    return emitError() << "expected tiles of whole swizzle patterns of "
                       << tile.getAlignment() << " bytes, got "
                       << tile.getBytes() << " bytes";
  return success();
}

void SlotsType::print(AsmPrinter &printer) const {
  printer << "<" << getCount() << " x " << Type(getTile()) << ">";
}

Type SlotsType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t count;
  SmemType tile;
  if (parser.parseLess() || parser.parseInteger(count) ||
      parser.parseKeyword("x") || parseSmem(parser, tile) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SlotsType>(loc, parser.getContext(), count, tile);
}

//===----------------------------------------------------------------------===//
// PendingType, MbarrierType, QueueType, WordsType
//===----------------------------------------------------------------------===//

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tensor) {
  if (isRegisterTile(tensor))
    return success();
  return emitError() << "expected a tile in registers, with a layout, got "
                     << tensor;
}

LogicalResult MbarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t count) {
  if (count < 1 || count > 1024)
    return emitError() << "expected 1 to 1024 barriers, got " << count;
  return success();
}

LogicalResult QueueType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count) {
  if (count < 1 || count > 64)
    return emitError() << "expected a queue of 1 to 64 numbers, got " << count;
  return success();
}

LogicalResult WordsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count) {
  if (count < 1 || count > 1024)
    return emitError() << "expected 1 to 1024 words, got " << count;
  return success();
}
