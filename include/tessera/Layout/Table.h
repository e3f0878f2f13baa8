//===- Table.h - Layouts as tables ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_TABLE_H
#define TESSERA_LAYOUT_TABLE_H

#include "tessera/Layout/InverseMap.h"

namespace tessera::layout {

/// The elements of a layout as matrices of cells. Rows and columns are the last
/// two dimensions; a vector is one row.
class Cells {
public:
  explicit Cells(const Layout &layout);

  int64_t getNumMatrices() const;
  int64_t getNumRows() const { return shape[shape.size() - 2]; }
  int64_t getNumColumns() const { return shape.back(); }
  /// Returns the first place of an element.
  Point getPlace(int64_t matrix, int64_t row, int64_t column) const;
  /// Returns its text: `r3l12w1` is register 3 of lane 12 of warp 1 (each axis
  /// by its first letter), and `+3` means three further copies.
  std::string getText(int64_t matrix, int64_t row, int64_t column) const;
  /// Returns the length of the longest text.
  size_t getWidth() const;
  /// Returns the coordinates of a matrix, "(0, 3)"; empty for tiles of at most
  /// two dimensions.
  std::string getMatrixName(int64_t matrix) const;

private:
  Point getElement(int64_t matrix, int64_t row, int64_t column) const;

  const Layout &layout;
  InverseMap inverse;
  Point shape;
  unsigned numPadded = 0;
};

/// Prints the cells as a table, matrix by matrix.
void printTable(const Layout &layout, llvm::raw_ostream &os);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_TABLE_H
