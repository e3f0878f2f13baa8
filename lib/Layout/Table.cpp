//===- Table.cpp - Layouts as tables ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a layout as a table. The inverse map gives the first place of each
// element and the number of its copies. Columns have the width of the widest
// cell.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace tessera;
using namespace tessera::layout;

Cells::Cells(const Layout &layout)
    : layout(layout), inverse(layout), shape(layout.getShape()) {
  for (; shape.size() < 2; ++numPadded)
    shape.insert(shape.begin(), 1);
}

int64_t Cells::getNumMatrices() const {
  return layout.getNumElements() / getNumRows() / getNumColumns();
}

Point Cells::getElement(int64_t matrix, int64_t row, int64_t column) const {
  unsigned rank = shape.size();
  Point x(rank, 0);
  x[rank - 2] = row;
  x[rank - 1] = column;
  for (unsigned dim = rank - 2; dim-- > 0; matrix /= shape[dim])
    x[dim] = matrix % shape[dim];
  return x;
}

Point Cells::getPlace(int64_t matrix, int64_t row, int64_t column) const {
  Point x = getElement(matrix, row, column);
  return inverse.getPlace(llvm::ArrayRef(x).drop_front(numPadded));
}

std::string Cells::getText(int64_t matrix, int64_t row, int64_t column) const {
  Point x = getElement(matrix, row, column);
  std::vector<Point> places =
      inverse.getPlaces(llvm::ArrayRef(x).drop_front(numPadded));
  std::string text;
  for (auto [axis, number] : llvm::zip_equal(layout.getAxes(), places.front()))
    text += axis.name[0] + std::to_string(number);
  if (places.size() > 1)
    text += "+" + std::to_string(places.size() - 1);
  return text;
}

size_t Cells::getWidth() const {
  size_t width = std::to_string(getNumColumns() - 1).size();
  for (int64_t matrix = 0; matrix < getNumMatrices(); ++matrix)
    for (int64_t row = 0; row < getNumRows(); ++row)
      for (int64_t column = 0; column < getNumColumns(); ++column)
        width = std::max(width, getText(matrix, row, column).size());
  return width;
}

std::string Cells::getMatrixName(int64_t matrix) const {
  Point x = getElement(matrix, 0, 0);
  return x.size() > 2 ? formatPoint(llvm::ArrayRef(x).drop_back(2)) : "";
}

void layout::printTable(const Layout &layout, llvm::raw_ostream &os) {
  Cells cells(layout);
  int64_t rows = cells.getNumRows(), columns = cells.getNumColumns();
  size_t width = cells.getWidth();
  auto print = [&](llvm::StringRef text) {
    os << ' ' << llvm::right_justify(text, width);
  };
  for (int64_t matrix = 0; matrix < cells.getNumMatrices(); ++matrix) {
    if (std::string name = cells.getMatrixName(matrix); !name.empty())
      os << "at " << name << "\n";
    size_t margin = std::to_string(rows - 1).size();
    os.indent(margin) << " |";
    for (int64_t column = 0; column < columns; ++column)
      print(std::to_string(column));
    os << "\n"
       << std::string(margin, '-') << "-+"
       << std::string(columns * (width + 1), '-') << "\n";
    for (int64_t row = 0; row < rows; ++row) {
      os << llvm::right_justify(std::to_string(row), margin) << " |";
      for (int64_t column = 0; column < columns; ++column)
        print(cells.getText(matrix, row, column));
      os << "\n";
    }
  }
}
