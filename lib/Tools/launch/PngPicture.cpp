//===- PngPicture.cpp - Pictures of arrays as PNG ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws cells into rows of pixels and writes them as PNG: four chunks, each
// with a length and a CRC. The pixels are one zlib stream, or its blocks of
// uncompressed bytes if LLVM has no zlib.
//
//===----------------------------------------------------------------------===//

#include "Charts.h"
#include "DotFont.h"

#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tools;

/// Pixels of the image for a pixel of the SVG picture.
static constexpr int kScale = 2;
static constexpr int kColumns = kPictureWidth * kScale;

namespace {
/// An image that grows downwards.
class Image {
public:
  int getNumRows() const { return pixels.size() / kRowBytes; }

  /// Fills a rectangle in units of the SVG picture with a colour "#rrggbb".
  void fill(double left, double top, double width, double height,
            llvm::StringRef color) {
    fillPixels(std::lround(left * kScale), std::lround(top * kScale),
               std::lround((left + width) * kScale),
               std::lround((top + height) * kScale), color);
  }

  /// Draws a text whose top left corner is given.
  void print(llvm::StringRef text, double left, double top,
             llvm::StringRef color) {
    int x = std::lround(left * kScale), y = std::lround(top * kScale);
    for (char c : text) {
      const uint8_t *letter = kDotFont[(c < ' ' || c > '~' ? '?' : c) - ' '];
      for (int column = 0; column < kDotColumns; ++column)
        for (int row = 0; row < kDotRows; ++row)
          if (letter[column] >> row & 1)
            fillPixels(x + column * kScale, y + row * kScale,
                       x + (column + 1) * kScale, y + (row + 1) * kScale,
                       color);
      x += (kDotColumns + 1) * kScale;
    }
  }

  /// Makes the image at least this high.
  void extend(int rows) {
    if (rows > getNumRows())
      pixels.resize(size_t(rows) * kRowBytes, 0xff);
  }

  /// Returns the rows of a PNG, each with the number of its filter.
  llvm::SmallVector<uint8_t, 0> getFilteredRows() const {
    llvm::SmallVector<uint8_t, 0> bytes;
    for (int row = 0; row < getNumRows(); ++row) {
      bytes.push_back(0);
      const uint8_t *begin = pixels.data() + size_t(row) * kRowBytes;
      bytes.append(begin, begin + kRowBytes);
    }
    return bytes;
  }

private:
  static constexpr size_t kRowBytes = 3 * kColumns;

  void fillPixels(int left, int top, int right, int bottom,
                  llvm::StringRef color) {
    unsigned rgb = 0;
    color.drop_front().getAsInteger(16, rgb);
    extend(bottom);
    for (int y = std::max(top, 0); y < bottom; ++y)
      for (int x = std::max(left, 0); x < std::min(right, kColumns); ++x)
        for (int part = 0; part < 3; ++part)
          pixels[y * kRowBytes + 3 * x + part] = rgb >> (16 - 8 * part);
  }

  llvm::SmallVector<uint8_t, 0> pixels;
};
} // namespace

//===----------------------------------------------------------------------===//
// Charts
//===----------------------------------------------------------------------===//

static constexpr const char *kDark = "#222222", *kGrey = "#666666";

static void printRange(double least, double most, double left, double top,
                       double height, Image &image) {
  image.print(formatShort(most), left, top, kDark);
  image.print(formatShort(least), left, top + height - kDotRows, kDark);
}

static double drawCells(const CellGrid &grid, double top, Image &image) {
  ColorScale scale = getScale(grid);
  double width = double(kChartWidth) / grid.getNumColumns();
  double height = getRowHeight(grid), total = height * grid.getNumRows();
  for (int64_t row = 0; row < grid.getNumRows(); ++row)
    for (int64_t column = 0; column < grid.getNumColumns(); ++column) {
      const Cell &cell = grid.at(row, column);
      const char *mark = getMark(cell);
      image.fill(kMargin + column * width, top + row * height, width, height,
                 mark ? mark : scale.getColor(scale.getLevel(cell.getMean())));
    }
  if (!scale.hasNumbers())
    return total;
  double left = kMargin + kChartWidth + 12;
  double step = total / ColorScale::kNumLevels;
  for (int level = 0; level < ColorScale::kNumLevels; ++level)
    image.fill(left, top + total - (level + 1) * step, 14, step,
               scale.getColor(level));
  printRange(scale.getLeast(), scale.getMost(), left + 20, top, total, image);
  return total;
}

static double drawPoints(const CellGrid &grid, double top, Image &image) {
  const Cell &total = grid.getTotal();
  auto place = [&](double value) {
    return top + getLinePlace(total, value, kLineHeight - 1);
  };
  auto fillBetween = [&](double x, double width, double a, double b,
                         llvm::StringRef color) {
    double from = std::min(a, b);
    image.fill(kMargin + x, from, width, std::max(a, b) - from + 1, color);
  };
  for (double edge : {top, top + kLineHeight})
    image.fill(kMargin, edge, kChartWidth, 0.5, "#bbbbbb");
  if (total.numFinite && total.least < 0 && total.most > 0)
    image.fill(kMargin, place(0), kChartWidth, 0.5, "#cccccc");
  double step = double(kChartWidth) / grid.getNumColumns();
  for (int64_t i = 0; i < grid.getNumColumns(); ++i) {
    const Cell &cell = grid.at(0, i);
    if (const char *mark = getMark(cell))
      image.fill(kMargin + i * step, top + kLineHeight - 14,
                 std::max(step, 1.0), 14, mark);
    if (cell.numFinite && cell.least < cell.most)
      fillBetween(i * step, std::max(step, 1.0), place(cell.most),
                  place(cell.least), "#9ecae1");
  }
  // The line, column by column, between the centres of finite cells.
  for (int64_t i = 0; i < grid.getNumColumns(); ++i) {
    const Cell &cell = grid.at(0, i);
    if (!cell.numFinite)
      continue;
    double x = (i + 0.5) * step, y = place(cell.getMean());
    fillBetween(x, 1, y, y, "#08519c");
    if (i + 1 == grid.getNumColumns() || !grid.at(0, i + 1).numFinite)
      continue;
    double next = place(grid.at(0, i + 1).getMean());
    double unit = 1.0 / kScale;
    for (double at = 0; at < step; at += unit)
      fillBetween(x + at, unit, y + (next - y) * at / step,
                  y + (next - y) * std::min(1.0, (at + unit) / step),
                  "#08519c");
  }
  if (total.numFinite)
    printRange(total.least, total.most, kMargin + kChartWidth + 8, top,
               kLineHeight, image);
  return kLineHeight;
}

/// Draws one tensor from `top` on. Returns the start of the next one.
static double drawTensor(const PicturedArray &tensor, double top,
                         Image &image) {
  CellGrid grid(tensor.array, kMostCells,
                tensor.isLine() ? kMostPoints : kMostCells);
  const Cell &total = grid.getTotal();
  auto print = [&](llvm::StringRef text, llvm::StringRef color) {
    image.print(text, kMargin, top, color);
    top += kTextHeight - 4;
  };
  print(tensor.name + " (" + tensor.access + ")", "#000000");
  print(describeElements(tensor, total), kDark);
  if (std::string text = describeReduction(tensor, grid); !text.empty())
    print(text, kGrey);
  if (tensor.array.getNumElements() == 0) {
    print("no elements", kGrey);
    return top + kTextHeight;
  }
  top += 2;
  top += tensor.isLine() ? drawPoints(grid, top, image)
                         : drawCells(grid, top, image);
  top += 8;
  double left = kMargin;
  auto explain = [&](int64_t count, llvm::StringRef color,
                     llvm::StringRef name) {
    if (!count)
      return;
    image.fill(left, top, 8, 8, color);
    image.print(name, left + 13, top, kDark);
    left += 104;
  };
  explain(total.numNaN, kColorOfNaN, "has NaN");
  explain(total.numInfinite, kColorOfInfinity, "has infinity");
  return top + (left > kMargin ? 2 : 1) * kTextHeight;
}

//===----------------------------------------------------------------------===//
// PNG
//===----------------------------------------------------------------------===//

static void appendNumber(llvm::SmallVectorImpl<uint8_t> &bytes, uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(n >> shift);
}

static void writeChunk(llvm::StringRef type, llvm::ArrayRef<uint8_t> data,
                       llvm::raw_ostream &os) {
  llvm::SmallVector<uint8_t, 0> bytes;
  appendNumber(bytes, data.size());
  bytes.append(type.bytes_begin(), type.bytes_end());
  bytes.append(data.begin(), data.end());
  appendNumber(bytes, llvm::crc32(llvm::ArrayRef(bytes).drop_front(4)));
  os.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// Returns a zlib stream of uncompressed blocks.
static llvm::SmallVector<uint8_t, 0> store(llvm::ArrayRef<uint8_t> data) {
  llvm::SmallVector<uint8_t, 0> stream = {0x78, 0x01};
  uint32_t low = 1, high = 0;
  for (uint8_t byte : data) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  do {
    llvm::ArrayRef<uint8_t> block = data.take_front(0xffff);
    data = data.drop_front(block.size());
    uint16_t size = block.size(), inverse = ~size;
    stream.push_back(data.empty());
    for (uint16_t number : {size, inverse})
      stream.append({uint8_t(number), uint8_t(number >> 8)});
    stream.append(block.begin(), block.end());
  } while (!data.empty());
  appendNumber(stream, high << 16 | low);
  return stream;
}

void tools::writePng(llvm::ArrayRef<PicturedArray> tensors,
                     llvm::raw_ostream &os) {
  Image image;
  double top = kMargin;
  for (const PicturedArray &tensor : tensors)
    top = drawTensor(tensor, top, image);
  image.extend(std::lround(top * kScale));
  os << llvm::StringRef("\x89PNG\r\n\x1a\n", 8);
  llvm::SmallVector<uint8_t, 0> header;
  appendNumber(header, kColumns);
  appendNumber(header, image.getNumRows());
  // 8 bits of red, green and blue; no interlacing.
  header.append({8, 2, 0, 0, 0});
  writeChunk("IHDR", header, os);
  llvm::SmallVector<uint8_t, 0> rows = image.getFilteredRows(), stream;
  if (llvm::compression::zlib::isAvailable())
    llvm::compression::zlib::compress(rows, stream);
  else
    stream = store(rows);
  writeChunk("IDAT", stream, os);
  writeChunk("IEND", {}, os);
}
