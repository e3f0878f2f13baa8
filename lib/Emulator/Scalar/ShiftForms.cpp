//===- ShiftForms.cpp - Shifts ----------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Logic and Shift Instructions". Amounts above the width clamp: the
// result is zero, or copies of the sign. Funnel shifts take their result from
// the 64 bits of two operands; their amount clamps or wraps.
//
//===----------------------------------------------------------------------===//

#include "ScalarFamilies.h"
#include "ScalarWords.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;

template <typename T>
static T shiftLeft(T a, uint32_t amount) {
  return amount >= 8 * sizeof(T)
             ? 0
             : static_cast<T>(static_cast<uint64_t>(a) << amount);
}

/// Shifts right; for signed types, the sign fills.
template <typename T>
static T shiftRight(T a, uint32_t amount) {
  if (amount >= 8 * sizeof(T))
    return a < 0 ? static_cast<T>(-1) : 0;
  return static_cast<T>(a >> amount);
}

/// Returns the upper (left) or lower (right) half of b and a, shifted as 64
/// bits.
template <bool isLeft, bool isWrapped>
static uint32_t shiftFunnel(uint32_t a, uint32_t b, uint32_t amount) {
  uint64_t both = uint64_t(b) << 32 | a;
  unsigned shift = isWrapped ? amount & 31 : std::min(amount, 32u);
  return static_cast<uint32_t>(isLeft ? both << shift >> 32 : both >> shift);
}

llvm::Expected<ScalarForm> emu::findShift(FormName &name) {
  if (name.getRoot() == "shl") {
    llvm::Expected<Type> type =
        name.takeType({Type::B16, Type::B32, Type::B64});
    if (!type)
      return type.takeError();
    auto visit = []<typename T>(Tag<T>) { return lift<shiftLeft<T>>; };
    return name.makeForm(visitInteger(*type, visit), *type, {*type, Type::U32});
  }
  llvm::Expected<Type> type =
      name.takeType({Type::B16, Type::B32, Type::B64, Type::U16, Type::U32,
                     Type::U64, Type::S16, Type::S32, Type::S64});
  if (!type)
    return type.takeError();
  auto visit = []<typename T>(Tag<T>) { return lift<shiftRight<T>>; };
  return name.makeForm(visitInteger(*type, visit), *type, {*type, Type::U32});
}

llvm::Expected<ScalarForm> emu::findFunnelShift(FormName &name) {
  std::optional<unsigned> direction = name.takeOneOf({"l", "r"});
  std::optional<unsigned> mode = name.takeOneOf({"clamp", "wrap"});
  if (!direction || !mode)
    return name.refuse("a direction and '.clamp' or '.wrap' are needed");
  llvm::Expected<Type> type = name.takeType({Type::B32});
  if (!type)
    return type.takeError();
  ScalarFunction function = *direction == 0
                                ? (*mode == 0 ? lift<shiftFunnel<true, false>>
                                              : lift<shiftFunnel<true, true>>)
                                : (*mode == 0 ? lift<shiftFunnel<false, false>>
                                              : lift<shiftFunnel<false, true>>);
  return name.makeForm(function, *type, {*type, *type, Type::U32});
}
