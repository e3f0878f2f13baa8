//===- CellGrid.h - An array as a grid of cells -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAUNCH_CELLGRID_H
#define TESSERA_LIB_TOOLS_LAUNCH_CELLGRID_H

#include "tessera/Array/NDArray.h"

namespace tessera::tools {

/// Statistics of the elements in one cell of a picture.
struct Cell {
  double sum = 0;
  double least = 0;
  double most = 0;
  int64_t numFinite = 0;
  int64_t numNaN = 0;
  int64_t numInfinite = 0;

  void add(double value);
  void add(const Cell &other);
  double getMean() const { return sum / numFinite; }
};

/// An array as a matrix of cells. Its last dimension is horizontal; all others
/// are vertical.
class CellGrid {
public:
  /// Creates at most so many cells in each direction. All have equally many
  /// elements, except the last ones.
  CellGrid(const array::NDArray &array, int64_t mostRows, int64_t mostColumns);

  int64_t getNumRows() const { return numRows; }
  int64_t getNumColumns() const { return numColumns; }
  /// Returns the number of elements of a cell in each direction.
  int64_t getRowsPerCell() const { return rowsPerCell; }
  int64_t getColumnsPerCell() const { return columnsPerCell; }
  const Cell &at(int64_t row, int64_t column) const {
    return cells[row * numColumns + column];
  }
  llvm::ArrayRef<Cell> getCells() const { return cells; }
  /// Returns the statistics of all elements.
  const Cell &getTotal() const { return total; }

private:
  int64_t numRows, numColumns, rowsPerCell, columnsPerCell;
  std::vector<Cell> cells;
  Cell total;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAUNCH_CELLGRID_H
