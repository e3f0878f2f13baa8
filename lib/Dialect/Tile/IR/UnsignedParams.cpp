//===- UnsignedParams.cpp - Scalar parameters without a sign ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first arguments of the entry block of a kernel are its parameters.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace tessera;

Type tile::getDeclaredScalarType(Operation *kernel, unsigned index, Type type) {
  auto unsignedParams =
      kernel->getAttrOfType<DenseI64ArrayAttr>(kUnsignedParamsAttrName);
  if (!unsignedParams ||
      !llvm::is_contained(unsignedParams.asArrayRef(), int64_t(index)))
    return type;
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

void tile::copyUnsignedParams(Operation *from, Operation *to) {
  if (Attribute value = from->getAttr(kUnsignedParamsAttrName))
    to->setAttr(kUnsignedParamsAttrName, value);
}

LogicalResult tile::verifyUnsignedParams(Operation *op, Attribute value) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
  auto names = op->getAttrOfType<ArrayAttr>("param_names");
  if (!names)
    return op->emitOpError() << "cannot have '" << kUnsignedParamsAttrName
                             << "'; kernels have parameters";
  bool isValid = numbers && op->getNumRegions() == 1;
  for (int64_t number : numbers ? numbers.asArrayRef() : ArrayRef<int64_t>()) {
    isValid &= number >= 0 && number < int64_t(names.size());
    Block *entry = isValid && !op->getRegion(0).empty()
                       ? &op->getRegion(0).front()
                       : nullptr;
    if (entry && number < entry->getNumArguments())
      isValid &= entry->getArgument(number).getType().isSignlessInteger() &&
                 !entry->getArgument(number).getType().isInteger(1);
  }
  if (!isValid)
    return op->emitOpError()
           << "expected '" << kUnsignedParamsAttrName
           << "' to be numbers of parameters that are integers, got " << value;
  return success();
}
