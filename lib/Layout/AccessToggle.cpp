//===- AccessToggle.cpp - Toggled lanes against bank conflicts ------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exhaustive search for the toggle with the fewest bank conflicts. A toggle
// adds (xor) the contribution of a register bit to that of a lane bit. There
// are at most 5 lane bits and a few register bits, and each candidate is a
// layout whose conflicts `getBankUse` counts. Bits below the access width are
// not candidates, and a candidate must keep the width.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/AccessToggle.h"

#include "tessera/Layout/SharedAccess.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;

static bool isBit(const Digit &digit, unsigned axis, int64_t place) {
  return digit.kind == Digit::Kind::Bit && digit.axis == axis &&
         digit.place == place;
}

/// Returns `layout` with the contribution of the register bit `registerBit`
/// added to the lane bit `laneBit`; nothing if these are not bits of the atom.
static std::optional<Layout> toggle(const Layout &layout, int64_t laneBit,
                                    int64_t registerBit) {
  unsigned lanes = *layout.findAxis(kLane);
  unsigned registers = *layout.findAxis(kRegister);
  const auto *moved =
      llvm::find_if(layout.getDigits(), [&](const Digit &digit) {
        return isBit(digit, registers, registerBit);
      });
  if (moved == layout.getDigits().end())
    return std::nullopt;
  std::vector<Axis> axes;
  for (const Axis &axis : layout.getAxes())
    axes.push_back({axis.name, {}});
  bool isFound = false;
  for (const Digit &digit : layout.getDigits()) {
    Term term{digit.count, digit.stride};
    if (isBit(digit, lanes, laneBit)) {
      isFound = true;
      for (auto [to, by] : llvm::zip_equal(term.stride, moved->stride))
        to ^= by;
    }
    axes[digit.axis].terms.push_back(std::move(term));
  }
  if (!isFound)
    return std::nullopt;
  llvm::Expected<Layout> toggled = Layout::get(axes, layout.getRank());
  if (toggled)
    return std::move(*toggled);
  llvm::consumeError(toggled.takeError());
  return std::nullopt;
}

llvm::Expected<std::optional<AccessToggle>>
layout::getAccessToggle(const Layout &registers, const Layout &shared,
                        int64_t elementBytes) {
  llvm::Expected<int64_t> width =
      getAccessWidth(registers, shared, elementBytes);
  if (!width)
    return width.takeError();
  auto getConflicts = [&](const Layout &layout) {
    return llvm::cantFail(getBankUse(layout, shared, elementBytes, *width))
        .getConflicts();
  };
  int64_t fewest = getConflicts(registers);
  std::optional<AccessToggle> best;
  if (fewest == 0 || registers.getSize(kRegister) == 1)
    return best;
  for (int64_t lane = 1; lane < registers.getSize(kLane); lane *= 2)
    for (int64_t bit = *width; bit < registers.getSize(kRegister); bit *= 2) {
      std::optional<Layout> toggled = toggle(registers, lane, bit);
      if (!toggled || llvm::cantFail(getAccessWidth(*toggled, shared,
                                                    elementBytes)) < *width)
        continue;
      int64_t conflicts = getConflicts(*toggled);
      if (conflicts >= fewest)
        continue;
      fewest = conflicts;
      best = AccessToggle{lane, bit, std::move(*toggled)};
    }
  return best;
}
