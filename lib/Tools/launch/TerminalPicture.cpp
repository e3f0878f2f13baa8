//===- TerminalPicture.cpp - Pictures of arrays as text ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heat maps: with colours, a character shows two cells, one above the other, as
// `▀` in two colours. Without colours, two equal characters are a cell in one
// of five shades. Lines: a character of Braille has 2x4 dots.
//
//===----------------------------------------------------------------------===//

#include "Charts.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::tools;

/// Most cells of a heat map, and characters of a line.
static constexpr int64_t kCellRows = 40, kCellColumns = 72;
static constexpr int kLineColumns = 72, kLineRows = 10;

static constexpr const char *kIndent = "  ";
static constexpr const char *kShades[] = {" ", "░", "▒", "▓", "█"};
static constexpr int kNumShades = 5;

/// Prints the escape sequence that sets a colour "#rrggbb" of the letter, or of
/// the ground.
static void setColor(llvm::StringRef color, bool isGround,
                     llvm::raw_ostream &os) {
  unsigned rgb = 0;
  color.drop_front().getAsInteger(16, rgb);
  os << "\x1b[" << (isGround ? 48 : 38) << ";2;" << (rgb >> 16) << ";"
     << (rgb >> 8 & 0xff) << ";" << (rgb & 0xff) << "m";
}

static void printColored(const CellGrid &grid, const ColorScale &scale,
                         llvm::raw_ostream &os) {
  auto getColor = [&](int64_t row, int64_t column) -> std::string {
    const Cell &cell = grid.at(row, column);
    const char *mark = getMark(cell);
    return mark ? mark : scale.getColor(scale.getLevel(cell.getMean()));
  };
  for (int64_t row = 0; row < grid.getNumRows(); row += 2) {
    os << kIndent;
    for (int64_t column = 0; column < grid.getNumColumns(); ++column) {
      setColor(getColor(row, column), /*isGround=*/false, os);
      if (row + 1 < grid.getNumRows())
        setColor(getColor(row + 1, column), /*isGround=*/true, os);
      os << "▀";
    }
    os << "\x1b[0m\n";
  }
  if (!scale.hasNumbers())
    return;
  os << kIndent << formatShort(scale.getLeast()) << " ";
  for (int level = 0; level < ColorScale::kNumLevels; ++level) {
    setColor(scale.getColor(level), /*isGround=*/false, os);
    os << "█";
  }
  os << "\x1b[0m " << formatShort(scale.getMost()) << "\n";
}

static void printShaded(const CellGrid &grid, const ColorScale &scale,
                        llvm::raw_ostream &os) {
  for (int64_t row = 0; row < grid.getNumRows(); ++row) {
    os << kIndent << "|";
    for (int64_t column = 0; column < grid.getNumColumns(); ++column) {
      const Cell &cell = grid.at(row, column);
      int level = getMark(cell) ? 0 : scale.getLevel(cell.getMean());
      const char *text =
          cell.numNaN ? "N"
          : cell.numInfinite
              ? "∞"
              : kShades[level * kNumShades / ColorScale::kNumLevels];
      os << text << text;
    }
    os << "|\n";
  }
  if (!scale.hasNumbers())
    return;
  os << kIndent << formatShort(scale.getLeast()) << " |";
  for (const char *shade : kShades)
    os << shade << shade;
  os << "| " << formatShort(scale.getMost()) << "\n";
}

static void printLine(const CellGrid &grid, llvm::raw_ostream &os) {
  const Cell &total = grid.getTotal();
  constexpr int width = 2 * kLineColumns, height = 4 * kLineRows;
  uint8_t dots[kLineRows][kLineColumns] = {};
  auto set = [&](int x, int y) {
    // The dots of Braille count down the left column, then down the right one;
    // the last row came later.
    static const uint8_t bits[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    dots[y / 4][x / 2] |= 1 << bits[y % 4][x % 2];
  };
  auto place = [&](double value) {
    return std::clamp<int>(std::lround(getLinePlace(total, value, height - 1)),
                           0, height - 1);
  };
  std::string marks(kLineColumns, ' ');
  int last = -1;
  for (int x = 0; x < width; ++x) {
    const Cell &cell = grid.at(0, x * grid.getNumColumns() / width);
    if (getMark(cell))
      marks[x / 2] = cell.numNaN ? 'N' : 'i';
    if (!cell.numFinite) {
      last = -1;
      continue;
    }
    int y = place(cell.getMean());
    if (last < 0)
      last = y;
    for (int at = std::min(y, last); at <= std::max(y, last); ++at)
      set(x, at);
    last = y;
  }
  for (int row = 0; row < kLineRows && total.numFinite; ++row) {
    os << kIndent << "|";
    for (uint8_t pattern : dots[row]) {
      char buffer[4], *end = buffer;
      llvm::ConvertCodePointToUTF8(0x2800 + pattern, end);
      os << llvm::StringRef(buffer, end - buffer);
    }
    os << "|";
    if (row == 0 || row + 1 == kLineRows)
      os << " " << formatShort(row == 0 ? total.most : total.least);
    os << "\n";
  }
  if (llvm::StringRef(marks).trim().empty())
    return;
  os << kIndent << " " << llvm::StringRef(marks).rtrim() << "\n";
}

/// Explains the marks of cells that are not finite.
static void explainMarks(const Cell &total, llvm::StringRef ofNaN,
                         llvm::StringRef ofInfinity, llvm::raw_ostream &os) {
  if (total.numNaN)
    os << kIndent << ofNaN << ": has NaN\n";
  if (total.numInfinite)
    os << kIndent << ofInfinity << ": has infinity\n";
}

void tools::printTerminalPicture(llvm::ArrayRef<PicturedArray> tensors,
                                 bool isColored, llvm::raw_ostream &os) {
  for (const PicturedArray &tensor : tensors) {
    // Shades take two characters for a cell.
    CellGrid grid(tensor.array, kCellRows,
                  tensor.isLine() ? 2 * kLineColumns
                  : isColored     ? kCellColumns
                                  : kCellColumns / 2);
    const Cell &total = grid.getTotal();
    os << "\n"
       << tensor.name << " (" << tensor.access
       << "): " << describeElements(tensor, total) << "\n";
    if (std::string text = describeReduction(tensor, grid); !text.empty())
      os << kIndent << text << "\n";
    if (tensor.array.getNumElements() == 0) {
      os << kIndent << "no elements\n";
    } else if (tensor.isLine()) {
      printLine(grid, os);
      explainMarks(total, "N", "i", os);
    } else if (isColored) {
      printColored(grid, getScale(grid), os);
      explainMarks(total, "magenta", "black", os);
    } else {
      printShaded(grid, getScale(grid), os);
      explainMarks(total, "N", "∞", os);
    }
  }
}
