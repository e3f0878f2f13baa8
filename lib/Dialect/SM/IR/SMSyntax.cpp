//===- SMSyntax.cpp - Generated definitions ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The generated op definitions, with the custom directives that their assembly
// formats call.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/Tile/IR/DialectSyntax.h"

using namespace tessera;
using namespace tessera::sm;

/// A type with its name; a format would leave "!sm.smem" away.
static ParseResult parseWhole(OpAsmParser &parser, Type &type) {
  return parser.parseType(type);
}

static void printWhole(OpAsmPrinter &printer, Operation *, Type type) {
  printer << type;
}

//===----------------------------------------------------------------------===//
// Lists of types: those of an access end in what the op takes after it
//===----------------------------------------------------------------------===//

static void printTypes(OpAsmPrinter &printer, Type global, TypeRange indices,
                       ArrayRef<Type> others) {
  printAccessTypes(printer, nullptr, global, indices);
  for (Type other : others)
    printer << ", " << other;
}

static ParseResult parseTypes(OpAsmParser &parser, Type &global,
                              SmallVectorImpl<Type> &indices,
                              ArrayRef<Type *> others) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseAccessTypes(parser, global, indices))
    return failure();
  if (indices.size() < others.size())
    return parser.emitError(loc) << "expected at least " << others.size() + 1
                                 << " types, got " << indices.size() + 1;
  for (Type *other : llvm::reverse(others))
    *other = indices.pop_back_val();
  return success();
}

static void printCopyTypes(OpAsmPrinter &printer, Operation *, Type global,
                           TypeRange indices, Type tile) {
  printTypes(printer, global, indices, {tile});
}

static ParseResult parseCopyTypes(OpAsmParser &parser, Type &global,
                                  SmallVectorImpl<Type> &indices, Type &tile) {
  return parseTypes(parser, global, indices, {&tile});
}

static void printTmaTypes(OpAsmPrinter &printer, Operation *, Type global,
                          TypeRange indices, Type tile, Type barrier) {
  printTypes(printer, global, indices, {tile, barrier});
}

static ParseResult parseTmaTypes(OpAsmParser &parser, Type &global,
                                 SmallVectorImpl<Type> &indices, Type &tile,
                                 Type &barrier) {
  return parseTypes(parser, global, indices, {&tile, &barrier});
}

//===----------------------------------------------------------------------===//
// Types that follow from others
//===----------------------------------------------------------------------===//

/// The accumulator's type; the result is what it is when pending.
static ParseResult parsePendingAccumulator(OpAsmParser &parser,
                                           Type &accumulator, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(accumulator))
    return failure();
  result = accumulator;
  if (isRegisterTile(accumulator))
    result = PendingType::get(parser.getContext(),
                              cast<RankedTensorType>(accumulator));
  if (!isa<PendingType>(result))
    return parser.emitError(loc) << "expected a tile in registers or a pending "
                                    "one, got "
                                 << accumulator;
  return success();
}

static void printPendingAccumulator(OpAsmPrinter &printer, Operation *,
                                    Type accumulator, Type) {
  printer << accumulator;
}

template <typename T>
static ParseResult parseTypeOf(OpAsmParser &parser, Type &type, T &parsed,
                               StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  parsed = dyn_cast<T>(type);
  if (!parsed)
    return parser.emitError(loc) << "expected " << what << ", got " << type;
  return success();
}

static ParseResult parsePendingResult(OpAsmParser &parser, Type &pending,
                                      Type &result) {
  PendingType type;
  if (parseTypeOf(parser, pending, type, "a pending tile"))
    return failure();
  result = type.getTensor();
  return success();
}

static void printPendingResult(OpAsmPrinter &printer, Operation *, Type pending,
                               Type) {
  printer << pending;
}

static ParseResult parseRingSlot(OpAsmParser &parser, Type &ring, Type &slot) {
  RingType type;
  if (parseTypeOf(parser, ring, type, "a ring"))
    return failure();
  slot = SlotType::get(parser.getContext(), type.getTiles());
  return success();
}

static void printRingSlot(OpAsmPrinter &printer, Operation *, Type ring, Type) {
  printer << ring;
}

static ParseResult parseSlotTile(OpAsmParser &parser, Type &slot, Type &result,
                                 IntegerAttr index) {
  SMLoc loc = parser.getCurrentLocation();
  SlotType type;
  if (parseTypeOf(parser, slot, type, "a slot"))
    return failure();
  if (index.getInt() < 0 ||
      index.getInt() >= static_cast<int64_t>(type.getTiles().size()))
    return parser.emitError(loc) << "expected a slot with a tile "
                                 << index.getInt() << ", got " << slot;
  result = type.getTiles()[index.getInt()];
  return success();
}

static void printSlotTile(OpAsmPrinter &printer, Operation *, Type slot, Type,
                          IntegerAttr) {
  printer << slot;
}

static ParseResult parseSlotsTile(OpAsmParser &parser, Type &slots,
                                  Type &result) {
  SlotsType type;
  if (parseTypeOf(parser, slots, type, "slots"))
    return failure();
  result = type.getTile();
  return success();
}

static void printSlotsTile(OpAsmPrinter &printer, Operation *, Type slots,
                           Type) {
  printer << slots;
}

#define GET_OP_CLASSES
#include "dialects/SM/IR/SMOps.cpp.inc"
