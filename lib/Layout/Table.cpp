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

#include "tessera/Layout/InverseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace tessera;
using namespace tessera::layout;

static std::string getCell(const Layout &layout, const InverseMap &inverse,
                           llvm::ArrayRef<int64_t> coordinates) {
  std::vector<Point> places = inverse.getPlaces(coordinates);
  std::string cell;
  for (auto [axis, number] : llvm::zip_equal(layout.getAxes(), places.front()))
    cell += axis.name[0] + std::to_string(number);
  if (places.size() > 1)
    cell += "+" + std::to_string(places.size() - 1);
  return cell;
}

void layout::printTable(const Layout &layout, llvm::raw_ostream &os) {
  Point shape(layout.getShape());
  unsigned padded = 0; // a vector is a matrix of one row
  for (; shape.size() < 2; ++padded)
    shape.insert(shape.begin(), 1);
  InverseMap inverse(layout);
  auto getCellAt = [&](llvm::ArrayRef<int64_t> x) {
    return getCell(layout, inverse, x.drop_front(padded));
  };
  unsigned rank = shape.size();
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  int64_t matrices = layout.getNumElements() / rows / columns;
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    Point x(rank, 0);
    int64_t rest = matrix;
    for (unsigned dim = rank - 2; dim-- > 0; rest /= shape[dim])
      x[dim] = rest % shape[dim];
    if (rank > 2)
      os << "at " << formatPoint(llvm::ArrayRef(x).drop_back(2)) << "\n";
    std::vector<std::string> cells;
    size_t width = std::to_string(columns - 1).size();
    for (x[rank - 2] = 0; x[rank - 2] < rows; ++x[rank - 2])
      for (x[rank - 1] = 0; x[rank - 1] < columns; ++x[rank - 1]) {
        cells.push_back(getCellAt(x));
        width = std::max(width, cells.back().size());
      }
    auto print = [&](llvm::StringRef text) {
      os << ' ' << llvm::right_justify(text, width);
    };
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
        print(cells[row * columns + column]);
      os << "\n";
    }
  }
}
