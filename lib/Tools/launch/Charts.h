//===- Charts.h - Parts of pictures -----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H
#define TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H

#include "CellGrid.h"

#include "tessera/Tools/launch/Picture.h"

namespace tessera::tools {

/// Sizes of a chart and of the texts around it, in pixels.
constexpr int kChartWidth = 512;
constexpr int kChartHeight = 384;
constexpr int kLineHeight = 192;
constexpr int kMargin = 16, kTextHeight = 18;
constexpr int kPictureWidth = kChartWidth + 120;
/// Limits above which a cell shows several elements.
constexpr int64_t kMostCells = 128, kMostPoints = 512;

/// The colours of numbers, and of cells with values that are not finite.
class ColorScale {
public:
  /// Creates the scale of a range of numbers. If the range has both signs, its
  /// middle is at zero.
  ColorScale(double least, double most);

  static constexpr int kNumLevels = 33;
  /// NaN as range means that there are no numbers.
  bool hasNumbers() const { return least <= most; }
  double getLeast() const { return least; }
  double getMost() const { return most; }
  int getLevel(double value) const;
  std::string getColor(int level) const;

private:
  double least, most;
  bool isDiverging;
};

/// Returns the scale of the means of all cells with numbers alone.
ColorScale getScale(const CellGrid &grid);

constexpr const char *kColorOfNaN = "#ff00ff";
constexpr const char *kColorOfInfinity = "#000000";

std::string formatShort(double value);

/// Returns the colour of a cell that is not finite; null for other cells.
const char *getMark(const Cell &cell);

/// Returns "f32 [4, 8], from -1 to 2, 3 NaN, 1 infinite".
std::string describeElements(const PicturedArray &tensor, const Cell &total);
/// Describes how elements were reduced to cells; empty if they were not.
std::string describeReduction(const PicturedArray &tensor,
                              const CellGrid &grid);

/// Returns the height of a row of a heat map. Cells are square, unless a few
/// rows or columns would become a strip.
double getRowHeight(const CellGrid &grid);
/// Returns the vertical place of a value in a line, from the top.
double getLinePlace(const Cell &total, double value, double height);

/// Draws a heat map at the origin, with its colour bar to the right. Returns
/// its height.
int drawHeatMap(const CellGrid &grid, llvm::raw_ostream &os);

/// Draws the first row as a line, in a band from the least to the greatest
/// element of each cell. Returns its height.
int drawLine(const CellGrid &grid, llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H
