//===- Layout.cpp - Map from places to elements -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Construction and evaluation of layouts; Layout.h describes the form. `get`
// checks the terms, merges them into the normal form, splits them into digits,
// and sorts the digits into the atom and the counts above it. It then checks
// the rule: the bits of the atom have full rank over F2 (Gaussian elimination),
// and the counts of each dimension continue each other without a carry.
//
// Invariant: every Layout obeys the rule and is in normal form, so it is onto,
// and equal functions have equal terms.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Layout.h"

#include "BitMatrix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <limits>
#include <numeric>

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

/// More places than a full cluster has registers; bounds the time of
/// enumerations.
static constexpr int64_t kMaxPlaces = int64_t(1) << 22;
/// With these bounds, products of sizes fit into 64 bits.
static constexpr int64_t kMaxStride = int64_t(1) << 31;
static constexpr unsigned kMaxRank = 8;

int64_t Axis::getSize() const {
  int64_t size = 1;
  for (const Term &term : terms)
    size *= term.count;
  return size;
}

/// Returns the position of an axis in a layout; other names come last, in their
/// order.
static unsigned getAxisOrder(llvm::StringRef name) {
  static constexpr llvm::StringLiteral order[] = {kRegister, kLane, kWarp, kCta,
                                                  kOffset};
  return llvm::find(order, name) - std::begin(order);
}

static bool isBroadcast(llvm::ArrayRef<int64_t> stride) {
  return llvm::all_of(stride, [](int64_t s) { return s == 0; });
}

static bool isPowerOf2(int64_t value) {
  return llvm::has_single_bit(static_cast<uint64_t>(value));
}

/// Returns the dimension of a stride, if it is a single one.
static std::optional<unsigned> getOnlyDim(llvm::ArrayRef<int64_t> stride) {
  std::optional<unsigned> only;
  for (auto [dim, s] : llvm::enumerate(stride))
    if (s != 0) {
      if (only)
        return std::nullopt;
      only = dim;
    }
  return only;
}

static Point scale(llvm::ArrayRef<int64_t> stride, int64_t factor) {
  Point scaled(stride);
  for (int64_t &s : scaled)
    s *= factor;
  return scaled;
}

/// Calls `part` with the bits of a term, and then with its odd count.
static void splitTerm(const Term &term,
                      llvm::function_ref<void(const Term &)> part) {
  Term rest = term;
  for (; rest.count % 2 == 0; rest.count /= 2) {
    part({2, rest.stride});
    rest.stride = scale(rest.stride, 2);
  }
  if (rest.count > 1)
    part(rest);
}

static llvm::Error checkTerms(llvm::ArrayRef<Axis> axes, unsigned rank) {
  if (rank > kMaxRank)
    return createStringError("expected at most " + Twine(kMaxRank) +
                             " dimensions, got " + Twine(rank));
  int64_t places = 1;
  for (const auto &[index, axis] : llvm::enumerate(axes)) {
    for (const Axis &other : axes.take_front(index))
      if (other.name == axis.name)
        return createStringError("the axis '" + axis.name + "' occurs twice");
    for (const Term &term : axis.terms) {
      if (term.stride.size() != rank)
        return createStringError("axis '" + axis.name + "': expected " +
                                 Twine(rank) + " components in a stride, got " +
                                 Twine(term.stride.size()));
      if (term.count < 1)
        return createStringError("axis '" + axis.name +
                                 "': expected a count of at least 1, got " +
                                 Twine(term.count));
      if (term.count > kMaxPlaces / places)
        return createStringError("expected at most 2^22 places");
      places *= term.count;
      for (int64_t s : term.stride)
        if (s < 0 || s >= kMaxStride)
          return createStringError("axis '" + axis.name +
                                   "': expected a stride from 0 to 2^31-1, "
                                   "got " +
                                   Twine(s));
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Layout> Layout::get(llvm::ArrayRef<Axis> axes, unsigned rank) {
  if (llvm::Error error = checkTerms(axes, rank))
    return std::move(error);
  Layout layout;
  layout.axes.assign(axes.begin(), axes.end());
  layout.shape.assign(rank, 1);
  layout.normalize();
  if (llvm::Error error = layout.classifyDigits())
    return std::move(error);
  if (llvm::Error error = layout.checkAtom())
    return std::move(error);
  if (llvm::Error error = layout.checkCounts())
    return std::move(error);
  return layout;
}

void Layout::normalize() {
  for (Axis &axis : axes) {
    std::vector<Term> merged;
    for (const Term &term : axis.terms)
      splitTerm(term, [&](const Term &part) {
        if (!merged.empty() &&
            part.stride == scale(merged.back().stride, merged.back().count))
          merged.back().count *= part.count;
        else
          merged.push_back(part);
      });
    axis.terms = std::move(merged);
  }
  llvm::erase_if(axes, [](const Axis &axis) { return axis.terms.empty(); });
  std::vector<Axis> ordered;
  for (unsigned order = 0; ordered.size() < axes.size(); ++order)
    llvm::copy_if(axes, std::back_inserter(ordered), [&](const Axis &axis) {
      return getAxisOrder(axis.name) == order;
    });
  axes = std::move(ordered);
}

/// Computes `digits` and, as far as odd counts bound it, `atomShape`.
llvm::Error Layout::classifyDigits() {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
  atomShape.assign(getRank(), kUnbounded);
  for (unsigned index = 0; index < axes.size(); ++index) {
    int64_t place = 1;
    for (const Term &term : axes[index].terms)
      splitTerm(term, [&](const Term &part) {
        Digit digit;
        digit.axis = index;
        digit.place = place;
        digit.count = part.count;
        digit.stride = part.stride;
        digits.push_back(digit);
        place *= part.count;
        if (std::optional<unsigned> dim = getOnlyDim(part.stride);
            dim && part.count != 2)
          atomShape[*dim] = std::min(atomShape[*dim], part.stride[*dim]);
      });
  }
  for (Digit &digit : digits) {
    if (isBroadcast(digit.stride))
      continue;
    bool isInAtom = llvm::all_of_zip(
        digit.stride, atomShape, [](int64_t s, int64_t q) { return s < q; });
    if (digit.count == 2 && isInAtom) {
      digit.kind = Digit::Kind::Bit;
      continue;
    }
    std::optional<unsigned> dim = getOnlyDim(digit.stride);
    if (!dim)
      return createStringError(
          "axis '" + axes[digit.axis].name +
          "': a stride along several dimensions, " + formatPoint(digit.stride) +
          ", needs a count that is a power of two, below every other count");
    digit.kind = Digit::Kind::Count;
    digit.dim = *dim;
  }
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    if (atomShape[dim] != kUnbounded) {
      if (!isPowerOf2(atomShape[dim]))
        return createStringError(
            "dimension " + Twine(dim) +
            ": expected the lowest count that is not a power of two to have a "
            "power of two as its stride, got " +
            Twine(atomShape[dim]));
      continue;
    }
    int64_t reached = 0;
    for (const Digit &digit : digits)
      if (digit.kind == Digit::Kind::Bit)
        reached |= digit.stride[dim];
    atomShape[dim] = llvm::bit_ceil(static_cast<uint64_t>(reached) + 1);
  }
  return llvm::Error::success();
}

llvm::Error Layout::checkAtom() {
  unsigned bits = 0;
  for (int64_t extent : atomShape)
    bits += llvm::countr_zero(static_cast<uint64_t>(extent));
  if (bits > 31)
    return createStringError("expected at most 2^31 elements");
  BitMatrix matrix;
  for (const Digit &digit : digits)
    if (digit.kind == Digit::Kind::Bit)
      matrix.addColumn(packAtom(digit.stride));
  if (matrix.getRank() == bits)
    return llvm::Error::success();
  // Finds an unreachable unit vector; one exists, since the rank is not full.
  for (unsigned dim = 0; dim < getRank(); ++dim)
    for (int64_t s = 1; s < atomShape[dim]; s *= 2) {
      Point unit(getRank(), 0);
      unit[dim] = s;
      if (!matrix.solve(packAtom(unit)))
        return createStringError("no place holds the element at " +
                                 formatPoint(unit));
    }
  llvm_unreachable("a matrix of smaller rank misses a unit vector");
}

llvm::Error Layout::checkCounts() {
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    llvm::SmallVector<const Digit *> counts;
    for (const Digit &digit : digits)
      if (digit.kind == Digit::Kind::Count && digit.dim == dim)
        counts.push_back(&digit);
    llvm::sort(counts, [&](const Digit *a, const Digit *b) {
      return std::pair(a->stride[dim], a->count) <
             std::pair(b->stride[dim], b->count);
    });
    int64_t extent = atomShape[dim];
    for (const Digit *digit : counts) {
      if (digit->stride[dim] != extent)
        return createStringError(
            "dimension " + Twine(dim) + ": expected a count with stride " +
            Twine(extent) + ", got " + Twine(digit->count) + " steps of " +
            Twine(digit->stride[dim]));
      extent *= digit->count;
    }
    // Bounded, since a layout is onto and the number of places is bounded.
    shape[dim] = extent;
  }
  return llvm::Error::success();
}

int64_t Layout::getNumElements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t Layout::getNumPlaces() const {
  int64_t places = 1;
  for (const Axis &axis : axes)
    places *= axis.getSize();
  return places;
}

std::optional<unsigned> Layout::findAxis(llvm::StringRef name) const {
  for (const auto &[index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

int64_t Layout::getSize(llvm::StringRef axis) const {
  std::optional<unsigned> index = findAxis(axis);
  return index ? axes[*index].getSize() : 1;
}

bool Layout::hasOnlyAxes(llvm::ArrayRef<llvm::StringRef> names) const {
  return llvm::all_of(axes, [&](const Axis &axis) {
    return llvm::is_contained(names, axis.name);
  });
}

uint64_t Layout::packAtom(llvm::ArrayRef<int64_t> coordinates) const {
  uint64_t packed = 0;
  unsigned shift = 0;
  for (auto [x, extent] : llvm::zip_equal(coordinates, atomShape)) {
    packed |= static_cast<uint64_t>(x & (extent - 1)) << shift;
    shift += llvm::countr_zero(static_cast<uint64_t>(extent));
  }
  return packed;
}

Point Layout::evaluate(llvm::ArrayRef<int64_t> place) const {
  assert(place.size() == axes.size() && "one number per axis");
  Point bits(getRank(), 0), counts(getRank(), 0);
  for (const Digit &digit : digits) {
    if (digit.kind == Digit::Kind::Broadcast)
      continue;
    int64_t value = place[digit.axis] / digit.place % digit.count;
    if (digit.kind == Digit::Kind::Count)
      counts[digit.dim] += value * digit.stride[digit.dim];
    else if (value)
      for (auto [x, s] : llvm::zip_equal(bits, digit.stride))
        x ^= s;
  }
  for (auto [x, y] : llvm::zip_equal(bits, counts))
    x += y;
  return bits;
}

Point Layout::evaluate(llvm::ArrayRef<NamedNumber> place) const {
  Point numbers(axes.size(), 0);
  for (const NamedNumber &number : place)
    if (std::optional<unsigned> axis = findAxis(number.first))
      numbers[*axis] = number.second;
  return evaluate(numbers);
}

std::vector<Point> Layout::evaluateAxis(llvm::StringRef axis) const {
  std::vector<Point> elements = {Point(getRank(), 0)};
  std::optional<unsigned> index = findAxis(axis);
  if (!index)
    return elements;
  elements.reserve(axes[*index].getSize());
  // The digits of an axis are in the order of their places.
  for (const Digit &digit : digits) {
    if (digit.axis != *index)
      continue;
    size_t below = elements.size();
    for (int64_t value = 1; value < digit.count; ++value) {
      Point step = scale(digit.stride, value);
      for (size_t i = 0; i < below; ++i)
        elements.push_back(combine(elements[i], step));
    }
  }
  return elements;
}

Point Layout::combine(llvm::ArrayRef<int64_t> x,
                      llvm::ArrayRef<int64_t> y) const {
  Point sum(getRank(), 0);
  for (auto [s, a, b, extent] : llvm::zip_equal(sum, x, y, atomShape)) {
    int64_t atom = extent - 1;
    s = ((a ^ b) & atom) + (a & ~atom) + (b & ~atom);
  }
  return sum;
}

Point Layout::getPlace(int64_t number) const {
  Point place;
  for (const Axis &axis : axes) {
    int64_t size = axis.getSize();
    place.push_back(number % size);
    number /= size;
  }
  return place;
}

llvm::SmallVector<llvm::StringRef> Layout::getBroadcastAxes() const {
  llvm::SmallVector<llvm::StringRef> names;
  BitMatrix seen;
  for (const Digit &digit : digits) {
    bool repeats = digit.kind == Digit::Kind::Broadcast ||
                   (digit.kind == Digit::Kind::Bit &&
                    !seen.addColumn(packAtom(digit.stride)));
    llvm::StringRef name = axes[digit.axis].name;
    if (repeats && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return names;
}

llvm::SmallVector<int64_t> Layout::getReplicas(llvm::StringRef axis,
                                               int64_t number) const {
  llvm::SmallVector<int64_t> replicas;
  Point wanted = evaluate(NamedNumber(axis, number));
  for (int64_t i = 0, e = getSize(axis); i < e; ++i)
    if (evaluate(NamedNumber(axis, i)) == wanted)
      replicas.push_back(i);
  return replicas;
}

int64_t Layout::getVectorWidth(llvm::StringRef axis) const {
  std::optional<unsigned> index = findAxis(axis);
  if (!index || getRank() == 0 || isBroadcast(axes[*index].terms[0].stride))
    return 1;
  const Term &first = axes[*index].terms[0];
  unsigned last = getRank() - 1;
  if (first.stride[last] != 1 || getOnlyDim(first.stride) != last)
    return 1;
  int64_t width = int64_t(1)
                  << llvm::countr_zero(static_cast<uint64_t>(first.count));
  // No other digit may change the bits below the width.
  for (const Digit &digit : digits) {
    bool isOfFirst = digit.axis == *index && digit.place < first.count;
    if (digit.kind != Digit::Kind::Broadcast && !isOfFirst)
      while (digit.stride[last] % width != 0)
        width /= 2;
  }
  return width;
}
