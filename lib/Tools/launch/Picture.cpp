//===- Picture.cpp - Pictures of arrays -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Picture.h"

#include "Charts.h"

#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::tools;

std::string tools::describeElements(const PicturedArray &tensor,
                                    const Cell &total) {
  std::string text =
      tensor.typeName + " " + array::formatShape(tensor.array.getShape());
  if (total.numFinite)
    text += ", from " + formatShort(total.least) + " to " +
            formatShort(total.most) + ", mean " + formatShort(total.getMean());
  if (total.numNaN)
    text += ", " + std::to_string(total.numNaN) + " NaN";
  if (total.numInfinite)
    text += ", " + std::to_string(total.numInfinite) + " infinite";
  return text;
}

std::string tools::describeReduction(const PicturedArray &tensor,
                                     const CellGrid &grid) {
  int64_t rows = grid.getRowsPerCell(), columns = grid.getColumnsPerCell();
  std::string text;
  if (tensor.array.getRank() > 2)
    text = "matrices of " +
           array::formatShape(tensor.array.getShape().take_back(2)) +
           " one below the other";
  if (rows == 1 && columns == 1)
    return text;
  text += text.empty() ? "" : "; ";
  if (tensor.isLine())
    return text + "each point is the mean of " + std::to_string(columns) +
           ", in a band from the least to the greatest";
  return text + "each cell is the mean of " + std::to_string(rows) + " x " +
         std::to_string(columns);
}

static void printText(llvm::StringRef text, int top, llvm::StringRef attributes,
                      llvm::raw_ostream &os) {
  os << "<text x=\"" << kMargin << "\" y=\"" << top + 13 << "\"" << attributes
     << ">" << text << "</text>\n";
}

/// Draws one tensor from `top` on. Returns the start of the next one.
static int drawTensor(const PicturedArray &tensor, int top,
                      llvm::raw_ostream &os) {
  bool isLine = tensor.isLine();
  CellGrid grid(tensor.array, kMostCells, isLine ? kMostPoints : kMostCells);
  const Cell &total = grid.getTotal();
  printText(tensor.name + " (" + tensor.access + ")", top,
            " font-weight=\"bold\"", os);
  printText(describeElements(tensor, total), top += kTextHeight, "", os);
  std::string reduction = describeReduction(tensor, grid);
  if (!reduction.empty())
    printText(reduction, top += kTextHeight, " fill=\"#666\"", os);
  top += kTextHeight;
  if (tensor.array.getNumElements() == 0) {
    printText("no elements", top, " fill=\"#666\"", os);
    return top + 2 * kTextHeight;
  }
  os << "<g transform=\"translate(" << kMargin << " " << top + 4 << ")\">\n";
  int height = isLine ? drawLine(grid, os) : drawHeatMap(grid, os);
  os << "</g>\n";
  top += height + 10;
  // Explains the colours that are not on a colour bar.
  int left = kMargin;
  auto explain = [&](int64_t count, llvm::StringRef color,
                     llvm::StringRef name) {
    if (!count)
      return;
    os << "<rect x=\"" << left << "\" y=\"" << top + 3
       << "\" width=\"11\" height=\"11\" fill=\"" << color << "\"/>\n<text x=\""
       << left + 16 << "\" y=\"" << top + 13 << "\">" << name << "</text>\n";
    left += 96;
  };
  explain(total.numNaN, kColorOfNaN, "has NaN");
  explain(total.numInfinite, kColorOfInfinity, "has infinity");
  return top + (left > kMargin ? 2 : 1) * kTextHeight;
}

void tools::printPicture(llvm::StringRef kernel,
                         llvm::ArrayRef<PicturedArray> tensors,
                         llvm::raw_ostream &os) {
  std::string contents;
  llvm::raw_string_ostream contentsOs(contents);
  int top = kMargin;
  for (const PicturedArray &tensor : tensors)
    top = drawTensor(tensor, top, contentsOs);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kPictureWidth
     << "\" height=\"" << top << "\" viewBox=\"0 0 " << kPictureWidth << " "
     << top << "\" font-family=\"sans-serif\" font-size=\"12\">\n<title>"
     << kernel
     << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
     << contents << "</svg>\n";
}
