//===- CellGrid.cpp - An array as a grid of cells ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduces an array to cells by one pass over its elements. Each cell
// accumulates the minimum, maximum, sum and counts of its elements.
//
//===----------------------------------------------------------------------===//

#include "CellGrid.h"

#include <algorithm>
#include <cmath>

using namespace tessera::tools;

void Cell::add(double value) {
  if (std::isnan(value)) {
    ++numNaN;
  } else if (std::isinf(value)) {
    ++numInfinite;
  } else {
    least = numFinite ? std::min(least, value) : value;
    most = numFinite ? std::max(most, value) : value;
    sum += value;
    ++numFinite;
  }
}

void Cell::add(const Cell &other) {
  if (other.numFinite) {
    least = numFinite ? std::min(least, other.least) : other.least;
    most = numFinite ? std::max(most, other.most) : other.most;
  }
  sum += other.sum;
  numFinite += other.numFinite;
  numNaN += other.numNaN;
  numInfinite += other.numInfinite;
}

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

CellGrid::CellGrid(const array::NDArray &array, int64_t mostRows,
                   int64_t mostColumns) {
  int64_t width = array.getRank() ? array.getShape().back() : 1;
  int64_t height = width ? array.getNumElements() / width : 0;
  rowsPerCell = std::max<int64_t>(1, divideUp(height, mostRows));
  columnsPerCell = std::max<int64_t>(1, divideUp(width, mostColumns));
  numRows = divideUp(height, rowsPerCell);
  numColumns = divideUp(width, columnsPerCell);
  cells.resize(numRows * numColumns);
  for (int64_t row = 0, index = 0; row < height; ++row) {
    Cell *first = &cells[row / rowsPerCell * numColumns];
    for (int64_t column = 0; column < width; ++column, ++index)
      first[column / columnsPerCell].add(array.getFloat(index));
  }
  for (const Cell &cell : cells)
    total.add(cell);
}
