//===- Charts.cpp - A heat map and a line in SVG ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws cells as SVG. Cells of one colour are one path, whose parts are runs of
// a row (run-length encoding), which keeps the file small.
//
//===----------------------------------------------------------------------===//

#include "Charts.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

using namespace tessera::tools;

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

ColorScale::ColorScale(double least, double most)
    : least(least), most(most), isDiverging(least < 0 && most > 0) {
  if (isDiverging) {
    this->most = std::max(-least, most);
    this->least = -this->most;
  }
}

int ColorScale::getLevel(double value) const {
  // Halves, since the distance of two numbers may overflow.
  double range = most / 2 - least / 2;
  if (!(range > 0))
    return isDiverging ? kNumLevels / 2 : 0;
  double part = (value / 2 - least / 2) / range;
  return std::clamp<int>(std::lround(part * (kNumLevels - 1)), 0,
                         kNumLevels - 1);
}

std::string ColorScale::getColor(int level) const {
  struct Rgb {
    int red, green, blue;
  };
  // Colours of the ends and of the middle.
  static const Rgb diverging[] = {
      {33, 102, 172}, {247, 247, 247}, {178, 24, 43}};
  static const Rgb sequential[] = {{68, 1, 84}, {33, 145, 140}, {253, 231, 37}};
  const Rgb *stops = isDiverging ? diverging : sequential;
  constexpr int half = kNumLevels / 2;
  int side = level < half ? 0 : 1;
  const Rgb &from = stops[side], &to = stops[side + 1];
  double part = double(level - side * half) / half;
  auto mix = [&](int a, int b) { return int(std::lround(a + (b - a) * part)); };
  char text[8];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", mix(from.red, to.red),
                mix(from.green, to.green), mix(from.blue, to.blue));
  return text;
}

std::string tessera::tools::formatShort(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

const char *tessera::tools::getMark(const Cell &cell) {
  return cell.numNaN        ? kColorOfNaN
         : cell.numInfinite ? kColorOfInfinity
                            : nullptr;
}

//===----------------------------------------------------------------------===//
// Heat map
//===----------------------------------------------------------------------===//

static void drawColorBar(const ColorScale &scale, int height,
                         llvm::raw_ostream &os) {
  constexpr int left = kChartWidth + 12, width = 14;
  double step = double(height) / ColorScale::kNumLevels;
  for (int level = 0; level < ColorScale::kNumLevels; ++level)
    os << llvm::format("<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\"",
                       left, height - (level + 1) * step, width, step)
       << " fill=\"" << scale.getColor(level) << "\"/>\n";
  os << "<text x=\"" << left + width + 6 << "\" y=\"10\">"
     << formatShort(scale.getMost()) << "</text>\n<text x=\""
     << left + width + 6 << "\" y=\"" << height << "\">"
     << formatShort(scale.getLeast()) << "</text>\n";
}

ColorScale tessera::tools::getScale(const CellGrid &grid) {
  double least = INFINITY, most = -INFINITY;
  for (const Cell &cell : grid.getCells())
    if (cell.numFinite && !getMark(cell)) {
      least = std::min(least, cell.getMean());
      most = std::max(most, cell.getMean());
    }
  return least <= most ? ColorScale(least, most) : ColorScale(NAN, NAN);
}

double tessera::tools::getRowHeight(const CellGrid &grid) {
  double width = double(kChartWidth) / grid.getNumColumns();
  return std::clamp(width * grid.getNumRows(), 48.0, double(kChartHeight)) /
         grid.getNumRows();
}

double tessera::tools::getLinePlace(const Cell &total, double value,
                                    double height) {
  double range = total.most / 2 - total.least / 2;
  return range > 0 ? height * (total.most / 2 - value / 2) / range
                   : height / 2.0;
}

int tessera::tools::drawHeatMap(const CellGrid &grid, llvm::raw_ostream &os) {
  ColorScale scale = getScale(grid);
  std::map<std::string, std::string> paths;
  auto getColor = [&](const Cell &cell) -> std::string {
    if (const char *mark = getMark(cell))
      return mark;
    return scale.getColor(scale.getLevel(cell.getMean()));
  };
  for (int64_t row = 0; row < grid.getNumRows(); ++row)
    for (int64_t column = 0; column < grid.getNumColumns();) {
      std::string color = getColor(grid.at(row, column));
      int64_t end = column + 1;
      while (end < grid.getNumColumns() && getColor(grid.at(row, end)) == color)
        ++end;
      llvm::raw_string_ostream(paths[color])
          << "M" << column << " " << row << "h" << end - column << "v1H"
          << column << "z";
      column = end;
    }
  double width = double(kChartWidth) / grid.getNumColumns();
  double height = getRowHeight(grid);
  os << llvm::format("<g transform=\"scale(%.6g %.6g)\"", width, height)
     << " shape-rendering=\"crispEdges\">\n";
  for (const auto &[color, path] : paths)
    os << "<path fill=\"" << color << "\" d=\"" << path << "\"/>\n";
  os << "</g>\n";
  int total = std::lround(height * grid.getNumRows());
  if (scale.hasNumbers())
    drawColorBar(scale, total, os);
  return total;
}

//===----------------------------------------------------------------------===//
// Line
//===----------------------------------------------------------------------===//

int tessera::tools::drawLine(const CellGrid &grid, llvm::raw_ostream &os) {
  const Cell &total = grid.getTotal();
  auto place = [&](double value) {
    return getLinePlace(total, value, kLineHeight);
  };
  double step = double(kChartWidth) / grid.getNumColumns();
  os << "<rect width=\"" << kChartWidth << "\" height=\"" << kLineHeight
     << "\" fill=\"none\" stroke=\"#bbb\"/>\n";
  if (total.numFinite && total.least < 0 && total.most > 0)
    os << llvm::format("<path stroke=\"#ccc\" d=\"M0 %.2fh%d\"/>\n", place(0),
                       kChartWidth);
  // The band, and the line, which is interrupted at a cell without finite
  // numbers.
  std::string line, band;
  llvm::raw_string_ostream lineOs(line), bandOs(band);
  bool isOpen = false;
  for (int64_t i = 0; i < grid.getNumColumns(); ++i) {
    const Cell &cell = grid.at(0, i);
    double x = (i + 0.5) * step;
    if (const char *mark = getMark(cell))
      os << llvm::format("<path stroke=\"%s\" stroke-width=\"%.2f\"", mark,
                         std::max(step, 1.0))
         << llvm::format(" d=\"M%.2f %dv-14\"/>\n", x, kLineHeight);
    if (!cell.numFinite) {
      isOpen = false;
      continue;
    }
    lineOs << llvm::format("%c%.2f %.2f", isOpen ? 'L' : 'M', x,
                           place(cell.getMean()));
    if (cell.least < cell.most)
      bandOs << llvm::format("M%.2f %.2fV%.2f", x, place(cell.most),
                             place(cell.least));
    isOpen = true;
  }
  if (!band.empty())
    os << llvm::format("<path stroke=\"#9ecae1\" stroke-width=\"%.2f\"",
                       std::max(step, 1.0))
       << " d=\"" << band << "\"/>\n";
  if (!line.empty())
    os << "<path fill=\"none\" stroke=\"#08519c\" stroke-width=\"1.5\" "
          "stroke-linecap=\"round\" d=\""
       << line << "\"/>\n";
  if (total.numFinite)
    os << "<text x=\"" << kChartWidth + 8 << "\" y=\"10\">"
       << formatShort(total.most) << "</text>\n<text x=\"" << kChartWidth + 8
       << "\" y=\"" << kLineHeight << "\">" << formatShort(total.least)
       << "</text>\n";
  return kLineHeight;
}
