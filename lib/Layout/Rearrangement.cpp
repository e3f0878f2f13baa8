//===- Rearrangement.cpp - Layouts of rearranged tiles ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places are found and checked by enumeration: the maps of rearrangements are
// affine and layouts are linear in bits, so no linear argument covers both. The
// transfer of a layout maps digit by digit, and its result is checked by the
// same enumeration where it is used.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Rearrangement.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;

static constexpr int64_t kLanes = 32;

//===----------------------------------------------------------------------===//
// Places of elements
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of the elements of a layout, by place.
class PlaceTable {
public:
  PlaceTable(const Layout &layout, int64_t firstNumber);

  int64_t getNumRegisters() const { return registers; }
  int64_t get(int64_t reg, int64_t lane, int64_t warp) const {
    return numbers[(warp % warps * lanes + lane % lanes) * registers + reg];
  }

private:
  int64_t registers, lanes, warps;
  std::vector<int64_t> numbers;
};
} // namespace

PlaceTable::PlaceTable(const Layout &layout, int64_t firstNumber)
    : registers(layout.getSize(kRegister)), lanes(layout.getSize(kLane)),
      warps(layout.getSize(kWarp)) {
  unsigned rank = layout.getRank();
  // Coordinates by dimension. Digits and axes are in the order of the table.
  // Bits lie below the stride of each count, so they never meet.
  std::vector<std::vector<int64_t>> coordinates(rank, {0});
  int64_t places = 1;
  for (const Digit &digit : layout.getDigits()) {
    for (unsigned dim = 0; dim < rank; ++dim) {
      std::vector<int64_t> &line = coordinates[dim];
      line.resize(places * digit.count);
      for (int64_t value = 1; value < digit.count; ++value)
        for (int64_t i = 0; i < places; ++i)
          line[value * places + i] = digit.kind == Digit::Kind::Bit
                                         ? line[i] ^ digit.stride[dim]
                                     : digit.kind == Digit::Kind::Count
                                         ? line[i] + value * digit.stride[dim]
                                         : line[i];
    }
    places *= digit.count;
  }
  numbers.assign(places, firstNumber);
  int64_t stride = 1;
  for (unsigned dim = rank; dim-- > 0;) {
    for (int64_t i = 0; i < places; ++i)
      numbers[i] += coordinates[dim][i] * stride;
    stride *= layout.getShape()[dim];
  }
}

std::optional<std::vector<RegisterSource>>
layout::findRegisterSources(llvm::ArrayRef<Layout> sources,
                            const Layout &result,
                            llvm::ArrayRef<int64_t> numbers) {
  std::vector<PlaceTable> held;
  int64_t first = 0, warps = result.getSize(kWarp);
  for (const Layout &source : sources) {
    held.emplace_back(source, first);
    first += source.getNumElements();
    warps = std::max(warps, source.getSize(kWarp));
  }
  PlaceTable places(result, 0);
  // The first thread determines a place: its own one comes first.
  llvm::DenseMap<int64_t, RegisterSource> found;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    for (auto [number, table] : llvm::enumerate(held))
      for (int64_t reg = 0; reg < table.getNumRegisters(); ++reg)
        found.try_emplace(
            table.get(reg, lane, 0),
            RegisterSource{static_cast<unsigned>(number), reg, lane});
  std::vector<RegisterSource> chosen;
  for (int64_t reg = 0; reg < places.getNumRegisters(); ++reg) {
    auto place = found.find(numbers[places.get(reg, 0, 0)]);
    if (place == found.end())
      return std::nullopt;
    RegisterSource source = place->second;
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        if (held[source.source].get(source.reg, lane ^ source.laneToggle,
                                    warp) !=
            numbers[places.get(reg, lane, warp)])
          return std::nullopt;
    chosen.push_back(source);
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// Transfer of layouts
//===----------------------------------------------------------------------===//

/// Splits a term into digits of prime counts, the fastest first.
static llvm::SmallVector<Term> splitTerm(Term term) {
  llvm::SmallVector<Term> digits;
  for (int64_t prime = 2; term.count > 1; ++prime)
    while (term.count % prime == 0) {
      digits.push_back({prime, term.stride});
      term.count /= prime;
      for (int64_t &stride : term.stride)
        stride *= prime;
    }
  return digits;
}

/// Returns the number of elements that a step of a digit is worth; nothing if
/// it moves along several dimensions. The step is 0 for copies.
static std::optional<int64_t> getStep(const Term &digit,
                                      llvm::ArrayRef<int64_t> steps) {
  int64_t step = 0;
  bool isSingle = true;
  for (auto [stride, each] : llvm::zip_equal(digit.stride, steps)) {
    isSingle &= stride == 0 || step == 0;
    step += stride * std::abs(each);
  }
  return isSingle ? std::optional(step) : std::nullopt;
}

llvm::Expected<Layout>
layout::transferLayout(const Layout &layout, llvm::ArrayRef<int64_t> steps,
                       llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> otherSteps) {
  unsigned rank = shape.size();
  std::vector<Axis> axes;
  // Strides and counts of the digits of each dimension.
  std::vector<llvm::SmallVector<std::pair<int64_t, int64_t>>> covered(rank);
  for (const Axis &axis : layout.getAxes()) {
    axes.push_back({axis.name, {}});
    for (const Term &term : axis.terms)
      for (const Term &digit : splitTerm(term)) {
        std::optional<int64_t> step = getStep(digit, steps);
        if (!step)
          return createStringError("a digit moves along several dimensions");
        Term made = {digit.count, Point(rank, 0)};
        bool isFound = false;
        for (unsigned dim = 0; dim < rank && *step != 0; ++dim) {
          int64_t each = std::abs(otherSteps[dim]);
          if (each == 0 || *step % each != 0 ||
              *step / each * digit.count > shape[dim])
            continue;
          made.stride[dim] = *step / each;
          covered[dim].push_back({made.stride[dim], digit.count});
          isFound = true;
          break;
        }
        // Registers without elements of the other tile are dropped.
        if (!isFound && axis.name == kRegister)
          continue;
        if (!isFound && *step != 0)
          return createStringError("a thread has no element of the tile");
        axes.back().terms.push_back(std::move(made));
      }
  }
  if (axes.empty() || axes.front().name != kRegister)
    axes.insert(axes.begin(), {kRegister.str(), {}});
  std::vector<Term> &registers = axes.front().terms;
  for (unsigned dim = 0; dim < rank; ++dim) {
    llvm::sort(covered[dim]);
    covered[dim].push_back({shape[dim], 1});
    int64_t reached = 1;
    for (auto [stride, count] : covered[dim]) {
      if (stride % reached != 0)
        return createStringError("digits of a dimension overlap");
      if (stride != reached) {
        Term gap = {stride / reached, Point(rank, 0)};
        gap.stride[dim] = reached;
        // Neighbours of a row are neighbouring registers.
        bool isVector = dim + 1 == rank && reached == 1;
        registers.insert(isVector ? registers.begin() : registers.end(), gap);
      }
      reached = stride * count;
    }
  }
  return Layout::get(axes, rank);
}
