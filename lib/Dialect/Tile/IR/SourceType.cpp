//===- SourceType.cpp - Types in the words of the source --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/SourceType.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;

std::string tile::printType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    std::string text = printType(tensor.getElementType()) + "[";
    llvm::ListSeparator separator;
    for (int64_t extent : tensor.getShape()) {
      text += StringRef(separator);
      text += std::to_string(extent);
    }
    return text + "]";
  }
  if (type.isIndex())
    return "int";
  if (type.isInteger(1))
    return "bool";
  if (type.isUnsignedInteger())
    return "u" + std::to_string(type.getIntOrFloatBitWidth());
  if (isa<Float8E4M3FNType>(type))
    return "f8e4m3";
  if (isa<Float8E5M2Type>(type))
    return "f8e5m2";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}
