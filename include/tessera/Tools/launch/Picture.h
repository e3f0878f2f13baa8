//===- Picture.h - Arrays as a picture --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --plot writes: tensors one below the other, in one SVG file that needs
// nothing else.
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

/// Prints a picture of a kernel's tensors. Vectors are lines; others are heat
/// maps of their last dimension, with all rows below each other. Where there
/// are more elements than places, a place is the mean of some; what is not
/// finite is never averaged away.
void printPicture(llvm::StringRef kernel, llvm::ArrayRef<PicturedArray> tensors,
                  llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_PICTURE_H
