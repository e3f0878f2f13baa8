//===- ProductForms.cpp - Products of integers ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions": mul, mad, mul24, mad24, dp4a and
// dp2a. Products of up to 32 bits are exact in 64 bits. The upper half of a
// 64-bit product is schoolbook multiplication by halves of 32 bits, corrected
// for negative factors.
//
//===----------------------------------------------------------------------===//

#include "IntegerArithmetic.h"
#include "ScalarFamilies.h"
#include "ScalarWords.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

template <typename T>
static T multiplyLow(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Returns the upper half of a product of 128 bits, computed from four products
/// of 64 bits.
static uint64_t multiplyHigh(uint64_t a, uint64_t b) {
  uint64_t aLow = uint32_t(a), aHigh = a >> 32;
  uint64_t bLow = uint32_t(b), bHigh = b >> 32;
  uint64_t middle = aHigh * bLow + (aLow * bLow >> 32);
  uint64_t otherMiddle = aLow * bHigh + uint32_t(middle);
  return aHigh * bHigh + (middle >> 32) + (otherMiddle >> 32);
}

/// Corrects the unsigned product: a negative factor is 2^64 less than the
/// unsigned one.
static int64_t multiplyHigh(int64_t a, int64_t b) {
  uint64_t high =
      multiplyHigh(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
  if (a < 0)
    high -= static_cast<uint64_t>(b);
  if (b < 0)
    high -= static_cast<uint64_t>(a);
  return static_cast<int64_t>(high);
}

template <typename T>
struct Widened;
template <>
struct Widened<uint16_t> {
  using Type = uint32_t;
};
template <>
struct Widened<int16_t> {
  using Type = int32_t;
};
template <>
struct Widened<uint32_t> {
  using Type = uint64_t;
};
template <>
struct Widened<int32_t> {
  using Type = int64_t;
};
template <typename T>
using Wide = typename Widened<T>::Type;

template <typename T>
static Wide<T> multiplyWide(T a, T b) {
  return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
}

template <typename T>
static T takeHigh(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return multiplyHigh(a, b);
  else
    return static_cast<T>(multiplyWide(a, b) >> (8 * sizeof(T)));
}

template <typename T>
static T addToLow(T a, T b, T c) {
  return addWrapping(multiplyLow(a, b), c);
}

template <typename T>
static T addToHigh(T a, T b, T c) {
  return addWrapping(takeHigh(a, b), c);
}

template <typename T>
static Wide<T> addToWide(T a, T b, Wide<T> c) {
  return addWrapping(multiplyWide(a, b), c);
}

static int32_t addToHighSaturating(int32_t a, int32_t b, int32_t c) {
  return addSaturating(takeHigh(a, b), c);
}

/// Returns the 48-bit product of the low 24 bits of each, with the sign of the
/// type.
template <typename T>
static int64_t multiply24(T a, T b) {
  auto take24 = [](T value) {
    uint32_t shifted = static_cast<uint32_t>(value) << 8;
    return static_cast<int64_t>(static_cast<T>(shifted) >> 8);
  };
  return take24(a) * take24(b);
}

template <typename T, bool isHigh>
static T take24(T a, T b) {
  return static_cast<T>(multiply24(a, b) >> (isHigh ? 16 : 0));
}

template <typename T, bool isHigh>
static T addTo24(T a, T b, T c) {
  return addWrapping(take24<T, isHigh>(a, b), c);
}

static int32_t addToHigh24Saturating(int32_t a, int32_t b, int32_t c) {
  return addSaturating(take24<int32_t, true>(a, b), c);
}

static std::optional<Type> getWideType(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  case Type::S32:
    return Type::S64;
  default:
    return std::nullopt;
  }
}

llvm::Expected<ScalarForm> emu::findIntegerProduct(FormName &name) {
  bool isSum = name.getRoot() == "mad";
  if (name.take("cc"))
    return name.refuse("the carry flag is not supported");
  std::optional<unsigned> half = name.takeOneOf({"lo", "hi", "wide"});
  if (!half)
    return name.refuse("one of '.lo', '.hi' and '.wide' is missing");
  llvm::Expected<Type> type = name.takeType(
      {Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64});
  if (!type)
    return type.takeError();
  if (isSum && *half == 1 && *type == Type::S32 && name.take("sat"))
    return name.makeForm(lift<addToHighSaturating>, *type,
                         {*type, *type, *type});
  if (*half == 2) {
    std::optional<Type> wide = getWideType(*type);
    if (!wide)
      return name.refuse("'.wide' is for 16 and 32 bits");
    ScalarFunction function =
        visitInteger(*type, [&]<typename T>(Tag<T>) -> ScalarFunction {
          if constexpr (sizeof(T) == 2 || sizeof(T) == 4)
            return isSum ? lift<addToWide<T>> : lift<multiplyWide<T>>;
          return nullptr;
        });
    if (isSum)
      return name.makeForm(function, *wide, {*type, *type, *wide});
    return name.makeForm(function, *wide, {*type, *type});
  }
  auto visit = [&]<typename T>(Tag<T>) -> ScalarFunction {
    if constexpr (sizeof(T) == 1)
      return nullptr;
    else if (isSum)
      return *half == 0 ? lift<addToLow<T>> : lift<addToHigh<T>>;
    else
      return *half == 0 ? lift<multiplyLow<T>> : lift<takeHigh<T>>;
  };
  SmallVector<Type, 3> operands(isSum ? 3 : 2, *type);
  return name.makeForm(visitInteger(*type, visit), *type, operands);
}

llvm::Expected<ScalarForm> emu::findProduct24(FormName &name) {
  bool isSum = name.getRoot() == "mad24";
  std::optional<unsigned> half = name.takeOneOf({"lo", "hi"});
  if (!half)
    return name.refuse("one of '.lo' and '.hi' is missing");
  llvm::Expected<Type> type = name.takeType({Type::U32, Type::S32});
  if (!type)
    return type.takeError();
  bool isHigh = *half == 1;
  SmallVector<Type, 3> operands(isSum ? 3 : 2, *type);
  if (isSum && isHigh && *type == Type::S32 && name.take("sat"))
    return name.makeForm(lift<addToHigh24Saturating>, *type, operands);
  auto choose = [&]<typename T>(Tag<T>) {
    if (isSum)
      return isHigh ? lift<addTo24<T, true>> : lift<addTo24<T, false>>;
    return isHigh ? lift<take24<T, true>> : lift<take24<T, false>>;
  };
  return name.makeForm(*type == Type::S32 ? choose(Tag<int32_t>())
                                          : choose(Tag<uint32_t>()),
                       *type, operands);
}

template <typename A, typename B>
static uint32_t addFourProducts(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 4; ++i)
    c += static_cast<uint32_t>(int32_t(static_cast<A>(a >> 8 * i)) *
                               int32_t(static_cast<B>(b >> 8 * i)));
  return c;
}

/// Adds products of the halves of `a` with bytes of `b`, from byte `first` on.
template <typename A, typename B, unsigned first>
static uint32_t addTwoProducts(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned i = 0; i < 2; ++i)
    c += static_cast<uint32_t>(int32_t(static_cast<A>(a >> 16 * i)) *
                               int32_t(static_cast<B>(b >> 8 * (first + i))));
  return c;
}

template <bool isASigned, bool isBSigned>
static ScalarFunction chooseDotProduct(std::optional<unsigned> half) {
  using A8 = std::conditional_t<isASigned, int8_t, uint8_t>;
  using A16 = std::conditional_t<isASigned, int16_t, uint16_t>;
  using B8 = std::conditional_t<isBSigned, int8_t, uint8_t>;
  if (!half)
    return lift<addFourProducts<A8, B8>>;
  return *half == 0 ? lift<addTwoProducts<A16, B8, 0>>
                    : lift<addTwoProducts<A16, B8, 2>>;
}

llvm::Expected<ScalarForm> emu::findDotProduct(FormName &name) {
  std::optional<unsigned> half;
  if (name.getRoot() == "dp2a") {
    half = name.takeOneOf({"lo", "hi"});
    if (!half)
      return name.refuse("one of '.lo' and '.hi' is missing");
  }
  llvm::Expected<Type> a = name.takeType({Type::U32, Type::S32});
  if (!a)
    return a.takeError();
  llvm::Expected<Type> b = name.takeType({Type::U32, Type::S32});
  if (!b)
    return b.takeError();
  bool isASigned = *a == Type::S32, isBSigned = *b == Type::S32;
  Type sum = isASigned || isBSigned ? Type::S32 : Type::U32;
  ScalarFunction function =
      isASigned ? (isBSigned ? chooseDotProduct<true, true>(half)
                             : chooseDotProduct<true, false>(half))
                : (isBSigned ? chooseDotProduct<false, true>(half)
                             : chooseDotProduct<false, false>(half));
  return name.makeForm(function, sum, {Type::B32, Type::B32, sum});
}
