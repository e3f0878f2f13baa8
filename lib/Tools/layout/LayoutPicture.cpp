//===- LayoutPicture.cpp - A layout as a picture ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid of cells. The ground is transparent, and texts outside of cells are
// grey, so a picture is readable in light and dark pages.
//
//===----------------------------------------------------------------------===//

#include "LayoutPicture.h"

#include "tessera/Layout/InverseMap.h"
#include "tessera/Layout/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::tools;
using layout::Layout;
using layout::Point;

/// Sizes in pixels: of a letter, of a row, and of the space around the cells.
static constexpr double kLetterWidth = 6.1;
static constexpr int kRowHeight = 20, kMargin = 36, kTitleHeight = 22;

/// Returns the colour of a place: the hue of its warp, and the shade of its
/// lane; without lanes, of its offset or register.
static std::string getColor(const Layout &layout, llvm::ArrayRef<int64_t> x) {
  // The fraction of an axis; 0 without it.
  auto getPart = [&](llvm::StringRef name) {
    std::optional<unsigned> axis = layout.findAxis(name);
    return axis ? double(x[*axis]) / layout.getAxes()[*axis].getSize() : 0.0;
  };
  std::optional<unsigned> warp = layout.findAxis(layout::kWarp);
  double hue = 210;
  if (warp)
    hue = 360.0 * x[*warp] /
          std::max<int64_t>(4, layout.getAxes()[*warp].getSize());
  double shade = layout.findAxis(layout::kLane) ? getPart(layout::kLane)
                 : layout.findAxis(layout::kOffset)
                     ? getPart(layout::kOffset)
                     : getPart(layout::kRegister);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("hsl(%.0f 60%% %.1f%%)", hue, 90 - 34 * shade);
  return text;
}

static void printText(llvm::StringRef text, double x, double y,
                      llvm::StringRef attributes, llvm::raw_ostream &os) {
  os << llvm::format("<text x=\"%.6g\" y=\"%.6g\"", x, y) << attributes << ">"
     << text << "</text>\n";
}

void tools::printLayoutPicture(const Layout &layout, llvm::raw_ostream &os) {
  layout::Cells cells(layout);
  double width = kLetterWidth * cells.getWidth() + 6;
  int64_t rows = cells.getNumRows(), columns = cells.getNumColumns();
  double matrixHeight = rows * kRowHeight + kMargin;
  std::string title = layout.str();
  double pageWidth = std::max(kMargin + columns * width,
                              kMargin / 2 + kLetterWidth * title.size()) +
                     4;
  double pageHeight = kTitleHeight + cells.getNumMatrices() * matrixHeight;
  os << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                     "width=\"%.6g\" height=\"%.6g\" ",
                     pageWidth, pageHeight)
     << llvm::format("viewBox=\"0 0 %.6g %.6g\" ", pageWidth, pageHeight)
     << "font-family=\"monospace\" font-size=\"10\">\n<title>" << title
     << "</title>\n";
  printText(title, 4, 14, " fill=\"#777\"", os);
  for (int64_t matrix = 0; matrix < cells.getNumMatrices(); ++matrix) {
    double top = kTitleHeight + matrix * matrixHeight;
    if (std::string name = cells.getMatrixName(matrix); !name.empty())
      printText("at " + name, 4, top + 12, " fill=\"#777\"", os);
    for (int64_t column = 0; column < columns; ++column)
      printText(std::to_string(column), kMargin + column * width + 3, top + 26,
                " fill=\"#777\"", os);
    for (int64_t row = 0; row < rows; ++row) {
      double y = top + 32 + row * kRowHeight;
      printText(std::to_string(row), 4, y + 14, " fill=\"#777\"", os);
      for (int64_t column = 0; column < columns; ++column) {
        double x = kMargin + column * width;
        os << llvm::format("<rect x=\"%.6g\" y=\"%.6g\" ", x, y)
           << llvm::format("width=\"%.6g\" height=\"%d\"", width - 1,
                           kRowHeight - 1)
           << " fill=\""
           << getColor(layout, cells.getPlace(matrix, row, column)) << "\"/>\n";
        printText(cells.getText(matrix, row, column), x + 3, y + 13, "", os);
      }
    }
  }
  os << "</svg>\n";
}
