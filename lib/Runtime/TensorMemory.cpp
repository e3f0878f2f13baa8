//===- TensorMemory.cpp - Memory of the arguments ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two tensors overlap if a sum of strides times indices equals the distance of
// their addresses: a bounded linear Diophantine equation. Disjoint ranges
// decide most launches. For the rest, interleaved views of one buffer, branch
// and bound runs from the largest stride down. The range and the common divisor
// of the smaller strides leave few values to each index.
//
// Invariant: None is returned only if no solution exists. The search gives up
// with Unknown after kMaxSteps.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/TensorMemory.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace tessera;
using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;

/// Larger than the memory of any device; sums of two such ranges fit in 64
/// bits.
static constexpr uint64_t kMaxAddress = uint64_t(1) << 61;
/// Limit of the steps of a search. Meaningful views need a few dozen.
static constexpr unsigned kMaxSteps = 20000;

namespace {
/// The bytes from the first one to the end of a tensor.
struct Range {
  int64_t first = 0, end = 0;
};

/// `stride` times an index in [low, high].
struct Term {
  int64_t stride, low, high;
};

/// Checks whether a sum of terms can have a value.
class Search {
public:
  /// Strides must be positive. With `isTrivialExcluded`, indices that are all
  /// zero do not count as a solution.
  Search(llvm::SmallVector<Term> given, bool isTrivialExcluded)
      : terms(std::move(given)), isTrivialExcluded(isTrivialExcluded) {
    llvm::sort(terms, [](const Term &a, const Term &b) {
      return a.stride > b.stride;
    });
    low.resize(terms.size() + 1);
    high.resize(terms.size() + 1);
    divisor.resize(terms.size() + 1);
    for (size_t i = terms.size(); i-- > 0;) {
      low[i] = low[i + 1] + terms[i].stride * terms[i].low;
      high[i] = high[i + 1] + terms[i].stride * terms[i].high;
      divisor[i] = std::gcd(divisor[i + 1], terms[i].stride);
    }
  }

  Overlap run(int64_t value) { return find(0, value, true); }

private:
  Overlap find(size_t i, int64_t rest, bool isZeroSoFar) {
    if (rest < low[i] || rest > high[i])
      return Overlap::None;
    if (i == terms.size())
      return isZeroSoFar && isTrivialExcluded ? Overlap::None : Overlap::Some;
    if (rest % divisor[i] != 0)
      return Overlap::None;
    const Term &term = terms[i];
    int64_t first = std::max(
        term.low, llvm::divideCeilSigned(rest - high[i + 1], term.stride));
    int64_t last = std::min(
        term.high, llvm::divideFloorSigned(rest - low[i + 1], term.stride));
    for (int64_t index = first; index <= last; ++index) {
      if (++steps > kMaxSteps)
        return Overlap::Unknown;
      Overlap found =
          find(i + 1, rest - index * term.stride, isZeroSoFar && index == 0);
      if (found != Overlap::None)
        return found;
    }
    return Overlap::None;
  }

  llvm::SmallVector<Term> terms;
  bool isTrivialExcluded;
  /// Least and largest sum, and common divisor, of the terms from each one on.
  llvm::SmallVector<int64_t> low, high, divisor;
  unsigned steps = 0;
};
} // namespace

void tessera::rt::completeStrides(TensorArgument &tensor) {
  if (!tensor.strides.empty())
    return;
  int64_t stride = 1;
  tensor.strides.resize(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    tensor.strides[i] = stride;
    stride *= std::max<int64_t>(tensor.shape[i], 1);
  }
}

bool tessera::rt::isDense(const TensorArgument &tensor) {
  int64_t stride = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] > 1 && tensor.strides[i] != stride)
      return false;
    stride *= std::max<int64_t>(tensor.shape[i], 1);
  }
  return true;
}

static bool isEmpty(const TensorArgument &tensor) {
  return llvm::is_contained(tensor.shape, 0);
}

static int64_t getBytes(const TensorArgument &tensor) {
  return array::getByteSize(tensor.dtype);
}

/// Returns the range of a tensor with elements; nothing if it leaves the
/// address space.
static std::optional<Range> getRange(const TensorArgument &tensor) {
  if (tensor.address >= kMaxAddress)
    return std::nullopt;
  Range range;
  range.first = static_cast<int64_t>(tensor.address);
  range.end = range.first + getBytes(tensor);
  for (auto [extent, stride] : llvm::zip_equal(tensor.shape, tensor.strides)) {
    int64_t reach;
    if (llvm::MulOverflow(stride, getBytes(tensor), reach) ||
        llvm::MulOverflow(reach, extent - 1, reach) ||
        llvm::AddOverflow(reach < 0 ? range.first : range.end, reach,
                          reach < 0 ? range.first : range.end))
      return std::nullopt;
  }
  if (range.first < 0 || range.end > int64_t(kMaxAddress))
    return std::nullopt;
  return range;
}

/// Adds `sign` times the offsets of the elements, in bytes. Indices with the
/// same stride are merged.
static void addTerms(llvm::SmallVector<Term> &terms,
                     const TensorArgument &tensor, int64_t sign) {
  for (auto [extent, elements] :
       llvm::zip_equal(tensor.shape, tensor.strides)) {
    int64_t stride = elements * getBytes(tensor);
    if (extent == 1 || stride == 0)
      continue;
    bool isDown = (stride < 0) != (sign < 0);
    Term term = {std::abs(stride), isDown ? 1 - extent : 0,
                 isDown ? 0 : extent - 1};
    auto *same = llvm::find_if(
        terms, [&](const Term &t) { return t.stride == term.stride; });
    if (same == terms.end()) {
      terms.push_back(term);
      continue;
    }
    same->low += term.low;
    same->high += term.high;
  }
}

Overlap tessera::rt::findOverlap(const TensorArgument &a,
                                 const TensorArgument &b) {
  if (isEmpty(a) || isEmpty(b))
    return Overlap::None;
  std::optional<Range> rangeA = getRange(a), rangeB = getRange(b);
  if (!rangeA || !rangeB)
    return Overlap::Unknown;
  if (rangeA->end <= rangeB->first || rangeB->end <= rangeA->first)
    return Overlap::None;
  llvm::SmallVector<Term> terms;
  addTerms(terms, a, 1);
  addTerms(terms, b, -1);
  int64_t distance =
      static_cast<int64_t>(b.address) - static_cast<int64_t>(a.address);
  // The bytes of an element, if elements may share only a part of them.
  if (getBytes(a) != getBytes(b) || distance % getBytes(a) != 0)
    terms.push_back({1, 1 - getBytes(b), getBytes(a) - 1});
  return Search(std::move(terms), /*isTrivialExcluded=*/false).run(distance);
}

Overlap tessera::rt::findSelfOverlap(const TensorArgument &tensor) {
  if (isEmpty(tensor))
    return Overlap::None;
  if (!getRange(tensor))
    return Overlap::Unknown;
  llvm::SmallVector<Term> terms;
  for (auto [extent, stride] : llvm::zip_equal(tensor.shape, tensor.strides)) {
    if (extent == 1)
      continue;
    if (stride == 0)
      return Overlap::Some;
    terms.push_back({std::abs(stride), 1 - extent, extent - 1});
  }
  return Search(std::move(terms), /*isTrivialExcluded=*/true).run(0);
}

static Error checkOne(const ParameterInfo &parameter,
                      const TensorArgument &tensor) {
  if (isEmpty(tensor))
    return Error::success();
  if (tensor.address == 0)
    return createStringError("'" + Twine(parameter.name) +
                             "' has elements, but its address is 0");
  if (!getRange(tensor))
    return createStringError("the elements of '" + Twine(parameter.name) +
                             "' reach beyond the address space");
  if (parameter.access == ParameterInfo::Access::Read)
    return Error::success();
  switch (findSelfOverlap(tensor)) {
  case Overlap::None:
    break;
  case Overlap::Some:
    return createStringError(
        "'" + Twine(parameter.name) +
        "' is written, but several of its elements lie at one address");
  case Overlap::Unknown:
    return createStringError("'" + Twine(parameter.name) +
                             "' is written, and its strides do not show that "
                             "its elements lie apart");
  }
  return Error::success();
}

Error tessera::rt::checkTensorMemory(const KernelMetadata &kernel,
                                     llvm::ArrayRef<Argument> arguments) {
  auto get = [&](size_t i) {
    return std::get_if<TensorArgument>(&arguments[i]);
  };
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const TensorArgument *tensor = get(i))
      if (Error error = checkOne(kernel.parameters[i], *tensor))
        return error;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &written = kernel.parameters[i];
    if (!get(i) || written.access == ParameterInfo::Access::Read)
      continue;
    for (size_t k = 0; k < arguments.size(); ++k) {
      const ParameterInfo &other = kernel.parameters[k];
      // Each pair of two written tensors is checked once.
      if (!get(k) || k == i ||
          (k < i && other.access != ParameterInfo::Access::Read))
        continue;
      Overlap found = findOverlap(*get(i), *get(k));
      if (found != Overlap::None)
        return createStringError(
            "'" + Twine(written.name) + "' is written, and " +
            (found == Overlap::Some
                 ? "overlaps '"
                 : "its strides do not keep it apart from '") +
            Twine(other.name) + "' in memory; give it memory of its own");
    }
  }
  return Error::success();
}

TensorRanges::TensorRanges(const KernelMetadata &kernel,
                           llvm::ArrayRef<Argument> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto *tensor = std::get_if<TensorArgument>(&arguments[i]);
    if (!tensor || isEmpty(*tensor))
      continue;
    Range range = *getRange(*tensor);
    auto address = static_cast<int64_t>(tensor->address);
    reaches.push_back(
        {i, range.first - address, range.end - address,
         kernel.parameters[i].access != ParameterInfo::Access::Read});
  }
}

bool TensorRanges::lieApartAt(llvm::ArrayRef<uint64_t> addresses) const {
  llvm::SmallVector<Range, 8> ranges;
  for (const Reach &reach : reaches) {
    uint64_t address = addresses[reach.parameter];
    if (address == 0 || address >= kMaxAddress)
      return false;
    Range range = {static_cast<int64_t>(address) + reach.low,
                   static_cast<int64_t>(address) + reach.high};
    if (range.first < 0 || range.end > int64_t(kMaxAddress))
      return false;
    for (auto [other, otherReach] : llvm::zip(ranges, reaches))
      if ((reach.isWritten || otherReach.isWritten) &&
          range.first < other.end && other.first < range.end)
        return false;
    ranges.push_back(range);
  }
  return true;
}
