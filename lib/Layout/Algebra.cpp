//===- Algebra.cpp - Operations on layouts ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on lists of terms; `Layout::get` checks each result. Slices,
// insertions and permutations change components of strides. `invert` evaluates
// the inverse map at the unit vector of each digit (Gaussian elimination over
// F2 on the atom). `compose` splits the digits of `inner` where digits of
// `outer` begin, and applies `outer` to each part, as both are linear in their
// digits.
//
// Invariant: a composition is compared with its definition at every place, and
// a part is repeated and compared with the whole. A result is therefore right,
// or there is none.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Algebra.h"

#include "BitMatrix.h"
#include "tessera/Layout/InverseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <numeric>

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

/// Returns the axis `name`, and creates it if it does not exist.
static Axis &getOrAddAxis(std::vector<Axis> &axes, llvm::StringRef name) {
  for (Axis &axis : axes)
    if (axis.name == name)
      return axis;
  axes.push_back({name.str(), {}});
  return axes.back();
}

static llvm::Error checkDim(const Layout &layout, unsigned dim) {
  if (dim < layout.getRank())
    return llvm::Error::success();
  return createStringError("there is no dimension " + Twine(dim) +
                           " in a tile of rank " + Twine(layout.getRank()));
}

llvm::Expected<Layout> layout::repeat(const Layout &layout,
                                      llvm::StringRef axis, int64_t count,
                                      std::optional<unsigned> dim) {
  Point stride(layout.getRank(), 0);
  if (dim) {
    if (llvm::Error error = checkDim(layout, *dim))
      return std::move(error);
    stride[*dim] = layout.getShape()[*dim];
  }
  std::vector<Axis> axes = layout.getAxes();
  getOrAddAxis(axes, axis).terms.push_back({count, stride});
  return Layout::get(axes, layout.getRank());
}

llvm::Expected<Layout> layout::getPart(const Layout &layout,
                                       llvm::StringRef axis, int64_t count) {
  if (count < 1 || layout.getSize(axis) % count != 0)
    return createStringError("cannot divide the " +
                             Twine(layout.getSize(axis)) + " numbers of '" +
                             axis + "' into " + Twine(count) + " groups");
  if (count == 1)
    return layout;
  std::vector<Axis> axes = layout.getAxes();
  Term &last = axes[*layout.findAxis(axis)].terms.back();
  if (last.count % count == 0) {
    last.count /= count;
    std::optional<unsigned> dim;
    for (unsigned d = 0; d < layout.getRank(); ++d)
      if (last.stride[d] != 0)
        dim = d;
    // Repeating the part must yield the whole.
    llvm::Expected<Layout> part = Layout::get(axes, layout.getRank());
    if (part) {
      llvm::Expected<Layout> whole = repeat(*part, axis, count, dim);
      if (whole && *whole == layout)
        return part;
      if (!whole)
        llvm::consumeError(whole.takeError());
    } else {
      llvm::consumeError(part.takeError());
    }
  }
  return createStringError("the " + Twine(count) + " groups along '" + axis +
                           "' do not hold parts of the tile, one after the "
                           "other: '" +
                           layout.str() + "'");
}

llvm::Expected<Layout> layout::product(const Layout &inner,
                                       const Layout &outer) {
  if (inner.getRank() != outer.getRank())
    return createStringError("a product of layouts of different rank, " +
                             Twine(inner.getRank()) + " and " +
                             Twine(outer.getRank()));
  std::vector<Axis> axes = inner.getAxes();
  for (const Axis &axis : outer.getAxes())
    for (Term term : axis.terms) {
      for (auto [s, extent] : llvm::zip_equal(term.stride, inner.getShape()))
        s *= extent;
      getOrAddAxis(axes, axis.name).terms.push_back(term);
    }
  return Layout::get(axes, inner.getRank());
}

/// Returns the layout whose strides are `change` of the strides of `layout`.
static llvm::Expected<Layout>
mapStrides(const Layout &layout, unsigned rank,
           llvm::function_ref<void(Point &)> change) {
  std::vector<Axis> axes = layout.getAxes();
  for (Axis &axis : axes)
    for (Term &term : axis.terms)
      change(term.stride);
  return Layout::get(axes, rank);
}

llvm::Expected<Layout> layout::sliceDim(const Layout &layout, unsigned dim) {
  if (llvm::Error error = checkDim(layout, dim))
    return std::move(error);
  return mapStrides(layout, layout.getRank() - 1,
                    [&](Point &stride) { stride.erase(stride.begin() + dim); });
}

llvm::Expected<Layout> layout::insertDim(const Layout &layout, unsigned dim) {
  if (dim > layout.getRank())
    return createStringError("cannot insert dimension " + Twine(dim) +
                             " into a tile of rank " + Twine(layout.getRank()));
  return mapStrides(layout, layout.getRank() + 1, [&](Point &stride) {
    stride.insert(stride.begin() + dim, 0);
  });
}

llvm::Expected<Layout> layout::permuteDims(const Layout &layout,
                                           llvm::ArrayRef<unsigned> order) {
  llvm::SmallVector<unsigned> sorted(order);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<unsigned>(0, layout.getRank())))
    return createStringError("expected each of the " + Twine(layout.getRank()) +
                             " dimensions once in a permutation");
  return mapStrides(layout, layout.getRank(), [&](Point &stride) {
    Point old = stride;
    for (auto [i, from] : llvm::enumerate(order))
      stride[i] = old[from];
  });
}

llvm::Expected<Layout> layout::dropDuplicates(const Layout &layout,
                                              llvm::StringRef axis) {
  std::optional<unsigned> index = layout.findAxis(axis);
  if (!index)
    return layout;
  std::vector<Axis> axes = layout.getAxes();
  axes[*index].terms.clear();
  BitMatrix kept;
  for (const Digit &digit : layout.getDigits())
    if (digit.axis == *index &&
        (digit.kind == Digit::Kind::Count ||
         (digit.kind == Digit::Kind::Bit &&
          kept.addColumn(layout.packAtom(digit.stride)))))
      axes[*index].terms.push_back({digit.count, digit.stride});
  return Layout::get(axes, layout.getRank());
}

llvm::Expected<Layout> layout::fold(const Layout &layout, llvm::StringRef axis,
                                    int64_t count, llvm::StringRef other) {
  std::vector<Axis> axes = layout.getAxes();
  int64_t left = count;
  std::vector<Term> kept, moved;
  if (std::optional<unsigned> index = layout.findAxis(axis)) {
    for (const Term &term : axes[*index].terms) {
      int64_t below = std::gcd(left, term.count);
      // The rest of a term begins after its first numbers.
      Term rest{term.count / below, term.stride};
      for (int64_t &distance : rest.stride)
        distance *= below;
      if (below > 1)
        kept.push_back({below, term.stride});
      left /= below;
      if (rest.count > 1 && left > 1)
        break;
      if (rest.count > 1)
        moved.push_back(rest);
    }
    axes[*index].terms = kept;
  }
  if (left != 1)
    return createStringError("cannot leave " + Twine(count) + " of the " +
                             Twine(layout.getSize(axis)) + " numbers of '" +
                             axis + "'");
  llvm::append_range(getOrAddAxis(axes, other).terms, moved);
  llvm::Expected<Layout> folded = Layout::get(axes, layout.getRank());
  return folded ? dropDuplicates(*folded, other) : std::move(folded);
}

std::string layout::getDimAxis(unsigned dim) {
  return ("d" + Twine(dim)).str();
}

llvm::Expected<Layout> layout::invert(const Layout &layout) {
  if (!layout.isBijective())
    return createStringError("there is no inverse: elements repeat along '" +
                             layout.getBroadcastAxes().front() + "'");
  InverseMap inverse(layout);
  std::vector<Axis> axes;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    Axis &axis = axes.emplace_back();
    axis.name = getDimAxis(dim);
    auto addDigit = [&](int64_t count, int64_t stride) {
      Point unit(layout.getRank(), 0);
      unit[dim] = stride;
      axis.terms.push_back({count, inverse.getPlace(unit)});
    };
    int64_t stride = 1;
    for (; stride < layout.getAtomShape()[dim]; stride *= 2)
      addDigit(2, stride);
    while (stride < layout.getShape()[dim]) {
      const Digit *next = llvm::find_if(layout.getDigits(), [&](auto &digit) {
        return digit.kind == Digit::Kind::Count && digit.dim == dim &&
               digit.stride[dim] == stride;
      });
      addDigit(next->count, stride);
      stride *= next->count;
    }
  }
  llvm::Expected<Layout> inverted = Layout::get(axes, layout.getAxes().size());
  if (!inverted) {
    llvm::consumeError(inverted.takeError());
    return createStringError("the inverse is not a layout: a bit of the atom "
                             "lies above a count that is not a power of two");
  }
  return inverted;
}

/// Splits a digit of `inner` at the digits of `outer`.
static std::vector<Term> refine(const Digit &digit, const Layout &outer) {
  std::vector<Term> parts = {{digit.count, digit.stride}};
  if (digit.kind != Digit::Kind::Count)
    return parts;
  std::optional<unsigned> axis = outer.findAxis(getDimAxis(digit.dim));
  for (const Digit &other : outer.getDigits()) {
    Term &last = parts.back();
    int64_t stride = last.stride[digit.dim];
    if (other.axis != axis || other.place <= stride || other.place % stride)
      continue;
    int64_t low = other.place / stride;
    if (low >= last.count || last.count % low)
      continue;
    Term high = {last.count / low, last.stride};
    high.stride[digit.dim] *= low;
    last.count = low;
    parts.push_back(high);
  }
  return parts;
}

llvm::Expected<Layout> layout::compose(const Layout &inner,
                                       const Layout &outer) {
  // The dimension of `inner` for each axis of `outer`.
  llvm::SmallVector<unsigned> dims;
  int64_t matched = 1;
  for (const Axis &axis : outer.getAxes())
    for (unsigned dim = 0; dim < inner.getRank(); ++dim)
      if (axis.name == getDimAxis(dim) &&
          axis.getSize() == inner.getShape()[dim]) {
        dims.push_back(dim);
        matched *= axis.getSize();
      }
  if (dims.size() != outer.getAxes().size() ||
      matched != inner.getNumElements())
    return createStringError("cannot compose: the axes of '" + outer.str() +
                             "' are not the dimensions of '" + inner.str() +
                             "'");
  auto apply = [&](llvm::ArrayRef<int64_t> coordinates) {
    Point place;
    for (unsigned dim : dims)
      place.push_back(coordinates[dim]);
    return outer.evaluate(place);
  };
  std::vector<Axis> axes = inner.getAxes();
  for (Axis &axis : axes)
    axis.terms.clear();
  for (const Digit &digit : inner.getDigits())
    for (const Term &part : refine(digit, outer))
      axes[digit.axis].terms.push_back({part.count, apply(part.stride)});
  llvm::Expected<Layout> composed = Layout::get(axes, outer.getRank());
  auto isRight = [&] {
    for (int64_t i = 0, e = inner.getNumPlaces(); i < e; ++i) {
      Point place = inner.getPlace(i);
      llvm::SmallVector<Layout::NamedNumber> named;
      for (auto [axis, number] : llvm::zip_equal(inner.getAxes(), place))
        named.push_back({axis.name, number});
      if (composed->evaluate(named) != apply(inner.evaluate(place)))
        return false;
    }
    return true;
  };
  // Digits that overlap partially give wrong strides or none.
  if (composed && isRight())
    return composed;
  if (!composed)
    llvm::consumeError(composed.takeError());
  return createStringError("the composition is not a layout: the counts of '" +
                           inner.str() + "' and '" + outer.str() +
                           "' interleave");
}
