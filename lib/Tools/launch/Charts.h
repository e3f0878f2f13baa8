//===- Charts.h - A heat map and a line in SVG ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H
#define TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H

#include "CellGrid.h"

namespace tessera::tools {

/// Size of a chart in pixels.
constexpr int kChartWidth = 512;
constexpr int kChartHeight = 384;
constexpr int kLineHeight = 192;

/// The colours of numbers, and of cells with values that are not finite.
class ColorScale {
public:
  /// Creates the scale of a range of numbers. If the range has both signs, its
  /// middle is at zero.
  ColorScale(double least, double most);

  static constexpr int kNumLevels = 33;
  double getLeast() const { return least; }
  double getMost() const { return most; }
  int getLevel(double value) const;
  std::string getColor(int level) const;

private:
  double least, most;
  bool isDiverging;
};

constexpr const char *kColorOfNaN = "#ff00ff";
constexpr const char *kColorOfInfinity = "#000000";

std::string formatShort(double value);

/// Draws a heat map at the origin, with its colour bar to the right. Returns
/// its height.
int drawHeatMap(const CellGrid &grid, llvm::raw_ostream &os);

/// Draws the first row as a line, in a band from the least to the greatest
/// element of each cell. Returns its height.
int drawLine(const CellGrid &grid, llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAUNCH_CHARTS_H
