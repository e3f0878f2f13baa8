//===- BitForms.cpp - Logic and counts of bits ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Logic and Shift Instructions", and the counting instructions of
// "Integer Arithmetic Instructions". lop3 evaluates its truth table as a sum of
// minterms, bitwise on whole words.
//
//===----------------------------------------------------------------------===//

#include "ScalarFamilies.h"
#include "ScalarWords.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

// Words have no bits above their type, and these operations create none.
static uint64_t andWords(const uint64_t *words) { return words[0] & words[1]; }
static uint64_t orWords(const uint64_t *words) { return words[0] | words[1]; }
static uint64_t xorWords(const uint64_t *words) { return words[0] ^ words[1]; }

static bool notPredicate(bool a) { return !a; }

template <typename T>
static T complement(T a) {
  return static_cast<T>(~a);
}

template <typename T>
static T isZero(T a) {
  return a == 0;
}

/// Returns the bitwise function of a truth table: bit i of `table` is the
/// result if the bits of a, b and c form the number i.
static uint32_t lookUpBits(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

template <typename T>
static uint32_t countOnes(T a) {
  return llvm::popcount(a);
}

template <typename T>
static uint32_t countLeadingZeros(T a) {
  return llvm::countl_zero(a);
}

template <typename T>
static T reverse(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
    result = static_cast<T>(result << 1 | (a & 1));
  return result;
}

/// Returns the index of the most significant bit that differs from the sign;
/// all ones if there is none.
template <typename T, bool isShift>
static uint32_t findLeading(T a) {
  using Bits = std::make_unsigned_t<T>;
  Bits bits = a < 0 ? static_cast<Bits>(~a) : static_cast<Bits>(a);
  if (bits == 0)
    return ~0u;
  unsigned shift = llvm::countl_zero(bits);
  return isShift ? shift : 8 * sizeof(T) - 1 - shift;
}

llvm::Expected<ScalarForm> emu::findLogic(FormName &name) {
  llvm::Expected<Type> type =
      name.takeType({Type::Pred, Type::B16, Type::B32, Type::B64});
  if (!type)
    return type.takeError();
  ScalarFunction function = name.getRoot() == "and"  ? onWords<andWords, 2>
                            : name.getRoot() == "or" ? onWords<orWords, 2>
                                                     : onWords<xorWords, 2>;
  return name.makeForm(function, *type, {*type, *type});
}

llvm::Expected<ScalarForm> emu::findComplement(FormName &name) {
  bool isNot = name.getRoot() == "not";
  if (isNot && name.take("pred"))
    return name.makeForm(lift<notPredicate>, Type::Pred, {Type::Pred});
  llvm::Expected<Type> type = name.takeType({Type::B16, Type::B32, Type::B64});
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) {
    return isNot ? lift<complement<T>> : lift<isZero<T>>;
  };
  return name.makeForm(visitInteger(*type, visit), *type, {*type});
}

llvm::Expected<ScalarForm> emu::findTernaryLogic(FormName &name) {
  if (name.takeOneOf({"and", "or"}))
    return name.refuse("a predicate of the result is not supported");
  llvm::Expected<Type> type = name.takeType({Type::B32});
  if (!type)
    return type.takeError();
  return name.makeForm(lift<lookUpBits>, *type,
                       {*type, *type, *type, Type::U32});
}

llvm::Expected<ScalarForm> emu::findBitCount(FormName &name) {
  llvm::Expected<Type> type = name.takeType({Type::B32, Type::B64});
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) -> ScalarFunction {
    if constexpr (std::is_signed_v<T>)
      return nullptr;
    else
      return name.getRoot() == "popc"  ? lift<countOnes<T>>
             : name.getRoot() == "clz" ? lift<countLeadingZeros<T>>
                                       : lift<reverse<T>>;
  };
  return name.makeForm(visitInteger(*type, visit),
                       name.getRoot() == "brev" ? *type : Type::U32, {*type});
}

llvm::Expected<ScalarForm> emu::findLeadingBit(FormName &name) {
  bool isShift = name.take("shiftamt");
  llvm::Expected<Type> type =
      name.takeType({Type::U32, Type::U64, Type::S32, Type::S64});
  if (!type)
    return type.takeError();
  auto visit = [&]<typename T>(Tag<T>) {
    return isShift ? lift<findLeading<T, true>> : lift<findLeading<T, false>>;
  };
  return name.makeForm(visitInteger(*type, visit), Type::U32, {*type});
}
