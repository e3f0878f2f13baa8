//===- IntegerForms.cpp - Sums and quotients of integers --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions". Sums are computed as 64-bit
// unsigned values. Their low bits are the result for operands of any sign.
//
//===----------------------------------------------------------------------===//

#include "IntegerArithmetic.h"
#include "ScalarFamilies.h"
#include "ScalarWords.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;

static constexpr Type kIntegers[] = {Type::U16, Type::U32, Type::U64,
                                     Type::S16, Type::S32, Type::S64};
static constexpr Type kSignedIntegers[] = {Type::S16, Type::S32, Type::S64};

template <typename T>
static T subtract(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

static int32_t subtractSaturating(int32_t a, int32_t b) {
  return saturate(int64_t(a) - b);
}

/// Divides. Division by zero is unspecified; machines return all ones.
template <typename T>
static T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~uint64_t(0));
  // The least value divided by -1 wraps around.
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return subtract<T>(0, a);
  return static_cast<T>(a / b);
}

template <typename T>
static T takeRemainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(~uint64_t(0));
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}

template <typename T>
static T negate(T a) {
  return subtract<T>(0, a);
}

template <typename T>
static T takeAbsolute(T a) {
  return a < 0 ? negate(a) : a;
}

template <typename T, bool isMin, bool isRelu>
static T chooseExtremum(T a, T b) {
  T extremum = isMin ? std::min(a, b) : std::max(a, b);
  return isRelu ? std::max<T>(extremum, 0) : extremum;
}

template <typename T>
static T addAbsoluteDifference(T a, T b, T c) {
  return addWrapping(c, a < b ? subtract(b, a) : subtract(a, b));
}

/// The kind of pairs of 16-bit integers in 32 bits, which have no Type of their
/// own.
enum class PairSign { None, Unsigned, Signed };

static PairSign takePair(FormName &name) {
  if (name.take("u16x2"))
    return PairSign::Unsigned;
  return name.take("s16x2") ? PairSign::Signed : PairSign::None;
}

llvm::Expected<ScalarForm> emu::findIntegerSum(FormName &name) {
  bool isSum = name.getRoot() == "add";
  if (name.take("cc"))
    return name.refuse("the carry flag is not supported");
  if (isSum && takePair(name) != PairSign::None)
    return name.makeForm(liftToPairs<addWrapping<uint16_t>>, Type::B32,
                         {Type::B32, Type::B32});
  if (name.take("sat")) {
    llvm::Expected<Type> type = name.takeType({Type::S32});
    if (!type)
      return type.takeError();
    return name.makeForm(isSum ? lift<addSaturating> : lift<subtractSaturating>,
                         *type, {*type, *type});
  }
  llvm::Expected<Type> type = name.takeType(kIntegers);
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) {
    return isSum ? lift<addWrapping<T>> : lift<subtract<T>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type, {*type, *type});
}

llvm::Expected<ScalarForm> emu::findIntegerDivision(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kIntegers);
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) {
    return name.getRoot() == "div" ? lift<divide<T>> : lift<takeRemainder<T>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type, {*type, *type});
}

llvm::Expected<ScalarForm> emu::findIntegerSign(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kSignedIntegers);
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) {
    return name.getRoot() == "neg" ? lift<negate<T>> : lift<takeAbsolute<T>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type, {*type});
}

template <bool isMin>
static llvm::Expected<ScalarForm> findExtremum(FormName &name) {
  bool isRelu = name.take("relu");
  PairSign pair = takePair(name);
  if (pair != PairSign::None) {
    if (isRelu && pair == PairSign::Unsigned)
      return name.refuse("'.relu' is for signed integers");
    ScalarFunction function =
        pair == PairSign::Unsigned
            ? liftToPairs<chooseExtremum<uint16_t, isMin, false>>
        : isRelu ? liftToPairs<chooseExtremum<int16_t, isMin, true>>
                 : liftToPairs<chooseExtremum<int16_t, isMin, false>>;
    return name.makeForm(function, Type::B32, {Type::B32, Type::B32});
  }
  llvm::Expected<Type> type =
      isRelu ? name.takeType({Type::S32}) : name.takeType(kIntegers);
  if (!type)
    return type.takeError();
  if (isRelu)
    return name.makeForm(lift<chooseExtremum<int32_t, isMin, true>>, *type,
                         {*type, *type});
  auto visit = []<typename T>(Tag<T>) {
    return lift<chooseExtremum<T, isMin, false>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type, {*type, *type});
}

llvm::Expected<ScalarForm> emu::findIntegerExtremum(FormName &name) {
  return name.getRoot() == "min" ? findExtremum<true>(name)
                                 : findExtremum<false>(name);
}

llvm::Expected<ScalarForm> emu::findAbsoluteDifference(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kIntegers);
  if (!type)
    return type.takeError();
  auto visit = []<typename T>(Tag<T>) {
    return lift<addAbsoluteDifference<T>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type,
                       {*type, *type, *type});
}
