//===- TileDialect.cpp - The tile dialect -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/GuardedMasks.h"
#include "tessera/Dialect/Tile/IR/ReportBuffer.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::tile;

#include "dialects/Tile/IR/TileDialect.cpp.inc"
#include "dialects/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Tile/IR/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/IR/TileOps.cpp.inc"
      >();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == "tile.phase") {
    if (!isa<ModuleOp>(op))
      return op->emitOpError() << "cannot have '" << name
                               << "'; the module around the kernels has it";
    if (!isa<StringAttr>(value))
      return op->emitOpError() << "expected '" << name
                               << "' to be the name of a phase, got " << value;
  }
  if (name == "tile.peeled" && !(isa<scf::ForOp>(op) && isa<UnitAttr>(value)))
    return op->emitOpError() << "cannot have '" << name << "' = " << value
                             << "; it marks loops, and has no value";
  if (name == kGuardedMasksAttrName) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.getNumResults() == 0 || !isa<UnitAttr>(value))
      return op->emitOpError() << "cannot have '" << name << "' = " << value
                               << "; it marks branches with results, and has "
                                  "no value";
    for (Value kept : branch.thenYield().getOperands())
      if (branch.getThenRegion().isAncestor(kept.getParentRegion()))
        return op->emitOpError()
               << "with '" << name
               << "' must yield values from outside where its condition holds";
  }
  if (name == kUnsignedParamsAttrName)
    return verifyUnsignedParams(op, value);
  if (name == kReportsAttrName)
    return verifyReports(op, value);
  if (name == kMaxTripCountAttrName) {
    auto count = dyn_cast<IntegerAttr>(value);
    if (!isa<scf::ForOp>(op))
      return op->emitOpError()
             << "cannot have '" << name << "'; loops have iterations";
    if (!count || !count.getType().isInteger(64) || count.getInt() < 1)
      return op->emitOpError() << "expected '" << name
                               << "' to be an i64 of at least 1, got " << value;
  }
  return success();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

Type tile::withoutSign(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(withoutSign(tensor.getElementType()));
  return type.isUnsignedInteger()
             ? IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth())
             : type;
}

bool tile::isElementType(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3FNType, Float8E5M2Type>(type) ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

LogicalResult
tile::verifyTileShape(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1)
      return emitError()
             << "expected the extents of a tile to be at least 1, got "
             << extent;
    if (extent > kMaxTileElements || elements * extent > kMaxTileElements)
      return emitError() << "expected a tile of at most " << kMaxTileElements
                         << " elements";
    elements *= extent;
  }
  return success();
}
