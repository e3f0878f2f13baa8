//===- FieldForms.cpp - Fields of bits and bytes ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions": bfe, bfi, szext and bmsk, and
// prmt of "Data Movement and Conversion Instructions". Fields are masks of low
// bits, shifted to their position. Positions and lengths beyond the word clamp
// or wrap, as each instruction defines.
//
//===----------------------------------------------------------------------===//

#include "ScalarFamilies.h"
#include "ScalarWords.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;

/// Returns a mask of the `count` lowest bits; `count` may be 64 and more.
static uint64_t makeMask(unsigned count) {
  return llvm::maskTrailingOnes<uint64_t>(std::min(count, 64u));
}

/// Extracts a field; position and length have 8 bits. Bits above the field are
/// copies of its sign, the highest bit that is in both the field and the
/// operand.
template <typename T>
static T extractField(T a, uint32_t position, uint32_t length) {
  constexpr unsigned width = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  uint64_t bits = static_cast<std::make_unsigned_t<T>>(a);
  uint64_t field = position >= width ? 0 : bits >> position;
  unsigned present = position >= width ? 0 : std::min(length, width - position);
  field &= makeMask(present);
  unsigned signPlace = std::min(position + length - 1, width - 1);
  if (std::is_signed_v<T> && (bits >> signPlace & 1))
    field |= ~makeMask(present);
  return static_cast<T>(field);
}

template <typename T>
static T insertField(T a, T b, uint32_t position, uint32_t length) {
  constexpr unsigned width = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (position >= width)
    return b;
  auto mask = static_cast<T>(makeMask(length) << position);
  return static_cast<T>((b & ~mask) |
                        (static_cast<uint64_t>(a) << position & mask));
}

template <bool isSigned, bool isWrapped>
static uint32_t extend(uint32_t a, uint32_t width) {
  if (!isWrapped && width >= 32)
    return a;
  width &= 31;
  if (width == 0)
    return 0;
  uint32_t mask = static_cast<uint32_t>(makeMask(width));
  bool isNegative = isSigned && (a >> (width - 1) & 1);
  return isNegative ? a | ~mask : a & mask;
}

template <bool isWrapped>
static uint32_t makeFieldMask(uint32_t position, uint32_t width) {
  if (isWrapped) {
    position &= 31;
    width &= 31;
  }
  if (position >= 32)
    return 0;
  return static_cast<uint32_t>(makeMask(std::min(width, 32u)) << position);
}

static uint32_t pickByte(uint32_t a, uint32_t b, unsigned place) {
  return (uint64_t(b) << 32 | a) >> (8 * (place & 7)) & 0xff;
}

/// Permutes bytes: each 4 bits of the selector choose a byte; the highest of
/// them repeats its sign.
static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned control = selector >> (4 * i) & 0xf;
    uint32_t byte = pickByte(a, b, control);
    if (control & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/// The modes of prmt, in the order of `findPermutation`.
enum class Permutation { F4e, B4e, Rc8, Ecl, Ecr, Rc16 };

template <Permutation mode>
static uint32_t permuteByMode(uint32_t a, uint32_t b, uint32_t selector) {
  unsigned start = selector & 3;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned place = mode == Permutation::F4e   ? start + i
                     : mode == Permutation::B4e ? start - i
                     : mode == Permutation::Rc8 ? start
                     : mode == Permutation::Ecl ? std::max(start, i)
                     : mode == Permutation::Ecr ? std::min(start, i)
                                                : 2 * (start & 1) + (i & 1);
    result |= pickByte(a, b, place) << (8 * i);
  }
  return result;
}

llvm::Expected<ScalarForm> emu::findFieldExtraction(FormName &name) {
  llvm::Expected<Type> type =
      name.takeType({Type::U32, Type::U64, Type::S32, Type::S64});
  if (!type)
    return type.takeError();
  auto visit = []<typename T>(Tag<T>) { return lift<extractField<T>>; };
  return name.makeForm(visitInteger(*type, visit), *type,
                       {*type, Type::U32, Type::U32});
}

llvm::Expected<ScalarForm> emu::findFieldInsertion(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::B32, Type::B64});
  if (!type)
    return type.takeError();
  auto visit = []<typename T>(Tag<T>) { return lift<insertField<T>>; };
  return name.makeForm(visitInteger(*type, visit), *type,
                       {*type, *type, Type::U32, Type::U32});
}

llvm::Expected<ScalarForm> emu::findExtension(FormName &name) {
  std::optional<unsigned> mode = name.takeOneOf({"clamp", "wrap"});
  if (!mode)
    return name.refuse("one of '.clamp' and '.wrap' is missing");
  llvm::Expected<Type> type = name.takeType({Type::U32, Type::S32});
  if (!type)
    return type.takeError();
  ScalarFunction function =
      *type == Type::S32
          ? (*mode == 0 ? lift<extend<true, false>> : lift<extend<true, true>>)
          : (*mode == 0 ? lift<extend<false, false>>
                        : lift<extend<false, true>>);
  return name.makeForm(function, *type, {*type, Type::U32});
}

llvm::Expected<ScalarForm> emu::findBitMask(FormName &name) {
  std::optional<unsigned> mode = name.takeOneOf({"clamp", "wrap"});
  if (!mode)
    return name.refuse("one of '.clamp' and '.wrap' is missing");
  llvm::Expected<Type> type = name.takeType({Type::B32});
  if (!type)
    return type.takeError();
  return name.makeForm(*mode == 0 ? lift<makeFieldMask<false>>
                                  : lift<makeFieldMask<true>>,
                       *type, {Type::U32, Type::U32});
}

llvm::Expected<ScalarForm> emu::findPermutation(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::B32});
  if (!type)
    return type.takeError();
  constexpr ScalarFunction byMode[] = {
      lift<permuteByMode<Permutation::F4e>>,
      lift<permuteByMode<Permutation::B4e>>,
      lift<permuteByMode<Permutation::Rc8>>,
      lift<permuteByMode<Permutation::Ecl>>,
      lift<permuteByMode<Permutation::Ecr>>,
      lift<permuteByMode<Permutation::Rc16>>,
  };
  std::optional<unsigned> mode =
      name.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  return name.makeForm(mode ? byMode[*mode] : lift<permute>, *type,
                       {*type, *type, Type::U32});
}
