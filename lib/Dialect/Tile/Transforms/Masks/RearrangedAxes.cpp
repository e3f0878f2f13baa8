//===- RearrangedAxes.cpp - Dimensions of a rearrangement -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mixed-radix decomposition: the digits of an offset or a stride are
// coordinates of the sources. A stride with several digits, or coordinates
// beyond an extent, carry into the next dimension and are refused.
//
//===----------------------------------------------------------------------===//

#include "RearrangedAxes.h"

using namespace tessera;
using namespace tessera::tile;

/// Returns the shape of the tile that joins `sources` along `joined`.
static SmallVector<int64_t> getJoined(ArrayRef<ArrayRef<int64_t>> sources,
                                      unsigned joined) {
  SmallVector<int64_t> shape(sources.front());
  for (ArrayRef<int64_t> source : sources.drop_front())
    shape[joined] += source[joined];
  return shape;
}

std::optional<RearrangedAxes>
RearrangedAxes::get(const IndexMap &map, ArrayRef<ArrayRef<int64_t>> sources,
                    ArrayRef<int64_t> result) {
  RearrangedAxes made;
  size_t rank = sources.front().size();
  if (rank == 0 || result.empty())
    return std::nullopt;
  // The sources follow each other along the first dimension that has several
  // elements.
  for (ArrayRef<int64_t> source : sources)
    if (source.size() != rank)
      return std::nullopt;
  while (made.joined + 1 < rank &&
         llvm::all_of(sources, [&](ArrayRef<int64_t> source) {
           return source[made.joined] == 1;
         }))
    ++made.joined;
  for (ArrayRef<int64_t> source : sources)
    if (source.drop_front(made.joined + 1) !=
        sources.front().drop_front(made.joined + 1))
      return std::nullopt;
  made.extents = getJoined(sources, made.joined);
  SmallVector<int64_t> rows = getRowStrides(made.extents);

  // Axes whose elements are whole runs of the inverted bits keep their
  // positions.
  made.toggle = map.toggle;
  made.firstToggled = rank;
  int64_t run = map.toggle ? llvm::PowerOf2Ceil(map.toggle + 1) : 1;
  while (made.firstToggled > 0 && rows[made.firstToggled - 1] % run != 0)
    --made.firstToggled;

  int64_t rest = map.offset;
  for (unsigned axis = 0; axis < rank; ++axis) {
    made.starts.push_back(rest / rows[axis]);
    rest %= rows[axis];
  }
  SmallVector<int64_t> least(made.starts), most(made.starts);
  for (auto [extent, stride] : llvm::zip_equal(result, map.strides)) {
    made.axes.push_back(std::nullopt);
    made.steps.push_back(0);
    if (extent == 1 || stride == 0)
      continue;
    unsigned axis = 0;
    while (made.extents[axis] == 1 || rows[axis] > std::abs(stride))
      if (++axis == rank)
        return std::nullopt;
    if (stride % rows[axis] != 0)
      return std::nullopt;
    int64_t step = stride / rows[axis];
    made.axes.back() = axis;
    made.steps.back() = step;
    (step < 0 ? least : most)[axis] += (extent - 1) * step;
  }
  for (unsigned axis = 0; axis < rank; ++axis)
    if (least[axis] < 0 || most[axis] >= made.extents[axis])
      return std::nullopt;
  return made;
}

IndexMap RearrangedAxes::getMap(ArrayRef<ArrayRef<int64_t>> sources) const {
  SmallVector<int64_t> rows = getRowStrides(getJoined(sources, joined));
  IndexMap map{0, {}, toggle};
  for (auto [start, row] : llvm::zip_equal(starts, rows))
    map.offset += start * row;
  for (auto [axis, step] : llvm::zip_equal(axes, steps))
    map.strides.push_back(axis ? step * rows[*axis] : 0);
  return map;
}

SmallVector<unsigned> RearrangedAxes::getDims(unsigned axis) const {
  SmallVector<unsigned> dims;
  for (auto [dim, moved] : llvm::enumerate(axes))
    if (moved == axis)
      dims.push_back(dim);
  return dims;
}

bool RearrangedAxes::isPrefix(unsigned axis, unsigned dim) const {
  return starts[axis] == 0 && steps[dim] == 1 && getDims(axis).size() == 1;
}

bool RearrangedAxes::isReversed(unsigned axis, unsigned dim,
                                int64_t extent) const {
  return extent == extents[axis] && starts[axis] == extent - 1 &&
         steps[dim] == -1 && getDims(axis).size() == 1;
}
