//===- Picture.h - Pictures of arrays ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of --plot: tensors one below the other, in a self-contained SVG
// file.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_PICTURE_H
#define TESSERA_TOOLS_LAUNCH_PICTURE_H

#include "tessera/Array/NDArray.h"

namespace tessera::tools {

struct PicturedArray {
  std::string name;
  std::string access;
  std::string typeName;
  array::NDArray array;
};

/// Prints a picture of a kernel's tensors. Vectors are lines. Other tensors are
/// heat maps of their last dimension, with all rows below each other. If there
/// are more elements than cells, a cell shows the mean of several. Elements
/// that are not finite stay visible.
void printPicture(llvm::StringRef kernel, llvm::ArrayRef<PicturedArray> tensors,
                  llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_PICTURE_H
