//===- TileAttrs.cpp - Attributes of the tile dialect -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// AxisAttr
//===----------------------------------------------------------------------===//

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr name, SizeAttr size,
                               int64_t tileExtent) {
  if (name.getValue().empty())
    return emitError() << "expected a grid axis to have a name";
  if (tileExtent == 0)
    return success();
  return verifyTileShape(emitError, tileExtent);
}

Type AxisAttr::getArgumentType() const {
  if (!isTiled())
    return IndexType::get(getContext());
  return RangeType::get(getContext(), getTileExtent(),
                        getSize().getSingleSymbol());
}

void AxisAttr::printClause(raw_ostream &os) const {
  if (isTiled())
    os << "tiles(";
  getSize().printExpression(os);
  if (isTiled())
    os << ", " << getTileExtent() << ")";
}

FailureOr<AxisAttr> AxisAttr::parseClause(AsmParser &parser, StringAttr name) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t extent = 0;
  FailureOr<SizeAttr> size = failure();
  if (succeeded(parser.parseOptionalKeyword("tiles"))) {
    if (parser.parseLParen() ||
        failed(size = SizeAttr::parseExpression(parser)) ||
        parser.parseComma() || parser.parseInteger(extent) ||
        parser.parseRParen())
      return failure();
    if (extent == 0)
      return parser.emitError(loc, "expected tiles of at least 1 element"),
             failure();
  } else if (failed(size = SizeAttr::parseExpression(parser))) {
    return failure();
  }
  auto axis = parser.getChecked<AxisAttr>(loc, parser.getContext(), name, *size,
                                          extent);
  if (!axis)
    return failure();
  return axis;
}

void AxisAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printKeywordOrString(getName().getValue());
  printer << " in ";
  printClause(printer.getStream());
  printer << ">";
}

Attribute AxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseLess() || parser.parseKeywordOrString(&name) ||
      parser.parseKeyword("in"))
    return {};
  FailureOr<AxisAttr> axis =
      parseClause(parser, StringAttr::get(parser.getContext(), name));
  if (failed(axis) || parser.parseGreater())
    return {};
  return *axis;
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t warpgroups, int64_t warps,
                                   int64_t stages, ArrayRef<int64_t> cluster,
                                   int64_t registers, int64_t exchange,
                                   int64_t mmaOrder, bool lateStores,
                                   bool pingpong, bool persistent,
                                   bool dynamic) {
  if (warpgroups < 0 || warpgroups > 3)
    return emitError() << "expected 'warpgroups' from 1 to 3, got "
                       << warpgroups;
  if (warps != 0 && warps != 1 && warps != 2 && warps != 16)
    return emitError() << "expected 'warps' to be 1, 2 or 16, got " << warps;
  if (warps != 0 && warpgroups != 0)
    return emitError() << "expected 'warps' or 'warpgroups', got both";
  if (warps != 0 && (exchange != 0 || mmaOrder != 0 || lateStores || pingpong))
    return emitError() << "expected 'warps' without 'exchange', 'mma_order', "
                          "'late_stores' and 'pingpong', which are for "
                          "warpgroups";
  if (stages < 0 || stages > 16)
    return emitError() << "expected 'stages' from 1 to 16, got " << stages;
  if (cluster.size() > 3)
    return emitError() << "expected 'cluster' to have at most 3 sizes, got "
                       << cluster.size();
  int64_t ctas = 1;
  for (int64_t size : cluster) {
    if (size < 1 || size > 16)
      return emitError() << "expected 'cluster' sizes from 1 to 16, got "
                         << size;
    ctas *= size;
  }
  if (ctas > 16)
    return emitError() << "expected at most 16 CTAs in a cluster, got " << ctas;
  if (registers != 0 &&
      (registers < 24 || registers > 256 || registers % 8 != 0))
    return emitError() << "expected 'registers' to be a multiple of 8 from 24 "
                          "to 256, got "
                       << registers;
  if (exchange < 0 || exchange > 2)
    return emitError() << "expected 'exchange' from 1 to 2, got " << exchange;
  if (mmaOrder < 0 || mmaOrder > 8)
    return emitError() << "expected 'mma_order' from 1 to 8, got " << mmaOrder;
  if (mmaOrder > 0 && (lateStores || pingpong))
    return emitError() << "expected 'mma_order' without 'late_stores' and "
                          "'pingpong', which have their own orders";
  if (lateStores && exchange == 1)
    return emitError() << "expected 'late_stores' with 'exchange' of 2 slots";
  if (dynamic && !persistent)
    return emitError() << "expected 'dynamic' with 'persistent' only";
  if (pingpong && warpgroups == 1 && !persistent)
    return emitError() << "expected 'pingpong' of one warpgroup with "
                          "'persistent' only";
  return success();
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  llvm::ListSeparator separator;
  os << "<";
  auto integer = [&](StringRef key, int64_t value) {
    if (value != 0)
      os << separator << key << " = " << value;
  };
  integer("warpgroups", getWarpgroups());
  integer("warps", getWarps());
  integer("stages", getStages());
  if (!getCluster().empty()) {
    os << separator << "cluster = [";
    llvm::interleaveComma(getCluster(), os);
    os << "]";
  }
  integer("registers", getRegisters());
  integer("exchange", getExchange());
  integer("mma_order", getMmaOrder());
  if (getLateStores())
    os << separator << "late_stores = true";
  if (getPingpong())
    os << separator << "pingpong = true";
  if (getPersistent())
    os << separator << "persistent = true";
  if (getDynamic())
    os << separator << "dynamic = true";
  os << ">";
}

/// Parses `true` or `false`.
static ParseResult parseBool(AsmParser &parser, bool &value) {
  if (succeeded(parser.parseOptionalKeyword("true"))) {
    value = true;
    return success();
  }
  value = false;
  return parser.parseKeyword("false", " or 'true'");
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t warpgroups = 0, warps = 0, stages = 0, registers = 0, exchange = 0;
  int64_t mmaOrder = 0;
  bool lateStores = false, pingpong = false, persistent = false,
       dynamic = false;
  SmallVector<int64_t> cluster;
  llvm::SmallDenseSet<StringRef> seen;
  auto parseField = [&]() -> ParseResult {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(keyLoc) << "'" << key << "' is given twice";
    if (key == "warpgroups")
      return parser.parseInteger(warpgroups);
    if (key == "warps")
      return parser.parseInteger(warps);
    if (key == "stages")
      return parser.parseInteger(stages);
    if (key == "registers")
      return parser.parseInteger(registers);
    if (key == "exchange")
      return parser.parseInteger(exchange);
    if (key == "mma_order")
      return parser.parseInteger(mmaOrder);
    if (key == "late_stores")
      return parseBool(parser, lateStores);
    if (key == "pingpong")
      return parseBool(parser, pingpong);
    if (key == "persistent")
      return parseBool(parser, persistent);
    if (key == "dynamic")
      return parseBool(parser, dynamic);
    if (key == "cluster")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(cluster.emplace_back());
      });
    return parser.emitError(keyLoc)
           << "unknown schedule field '" << key
           << "'; expected warpgroups, warps, stages, cluster, registers, "
              "exchange, mma_order, late_stores, pingpong, persistent or "
              "dynamic";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<ScheduleAttr>(
      loc, parser.getContext(), warpgroups, warps, stages,
      ArrayRef<int64_t>(cluster), registers, exchange, mmaOrder, lateStores,
      pingpong, persistent, dynamic);
}
