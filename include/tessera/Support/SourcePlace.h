//===- SourcePlace.h - The place of an operation as a text ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_SOURCEPLACE_H
#define TESSERA_SUPPORT_SOURCEPLACE_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace tessera {

/// Returns "file.mlir:12:5", as far as the location of `op` is known.
inline std::string printPlace(mlir::Operation *op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  if (!place)
    return "";
  return place.getFilename().str() + ":" + std::to_string(place.getLine()) +
         ":" + std::to_string(place.getColumn());
}

} // namespace tessera

#endif // TESSERA_SUPPORT_SOURCEPLACE_H
