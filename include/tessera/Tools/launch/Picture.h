//===- Picture.h - Pictures of arrays ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of --plot: tensors one below the other, as a self-contained SVG
// file, as a PNG file, or as text.
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

  /// Whether it becomes a line. Other tensors are heat maps.
  bool isLine() const { return array.getRank() <= 1; }
};

/// Prints a picture of a kernel's tensors. Vectors are lines. Other tensors are
/// heat maps of their last dimension, with all rows below each other. If there
/// are more elements than cells, a cell shows the mean of several. Elements
/// that are not finite stay visible.
void printPicture(llvm::StringRef kernel, llvm::ArrayRef<PicturedArray> tensors,
                  llvm::raw_ostream &os);

/// Writes the same picture as PNG, with two pixels for one of the SVG.
void writePng(llvm::ArrayRef<PicturedArray> tensors, llvm::raw_ostream &os);

/// Prints the same picture as text: vectors in dots of Braille, others in half
/// blocks of 24-bit colours, or in shades of grey if `isColored` is false.
void printTerminalPicture(llvm::ArrayRef<PicturedArray> tensors, bool isColored,
                          llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_PICTURE_H
