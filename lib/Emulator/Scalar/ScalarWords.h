//===- ScalarWords.h - Values in 64-bit words -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands and results of a ScalarFunction are words of 64 bits. `lift`
// converts a function on C++ types to a ScalarFunction. The visitors select
// among such functions by the name of an instruction.
//
// The function is inlined into the loop over the threads of a warp, so the
// compiler vectorizes common forms.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_SCALARWORDS_H
#define TESSERA_LIB_EMULATOR_SCALAR_SCALARWORDS_H

#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tessera::emu {

/// Returns the value of type `T` in the low bits of `word`. Classes (the 16-bit
/// floats) have their `bits`.
template <typename T>
T fromWord(uint64_t word) {
  if constexpr (std::is_same_v<T, bool>)
    return word & 1;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(word);
  else if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<float>(static_cast<uint32_t>(word));
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<double>(word);
  else
    return T{static_cast<uint16_t>(word)};
}

template <typename T>
uint64_t toWord(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<uint64_t>(value);
  else
    return value.bits;
}

/// Calls `function`, which reads `count` operands, for all threads of a warp.
template <WordFunction function, unsigned count>
void computeWarp(uint64_t *results, const uint64_t *const *operands) {
  constexpr unsigned kThreads = 32;
  // Results may overlap operands; a local array does not, which lets the
  // compiler vectorize.
  uint64_t computed[kThreads];
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    uint64_t words[count];
    for (unsigned i = 0; i < count; ++i)
      words[i] = operands[i][thread];
    computed[thread] = function(words);
  }
  std::copy_n(computed, kThreads, results);
}

/// A function on words, with its loop over a warp.
template <WordFunction function, unsigned count>
inline constexpr ScalarFunction onWords{function,
                                        &computeWarp<function, count>};

template <auto function>
struct Lifted;

template <typename Result, typename... Operands,
          Result (*function)(Operands...)>
struct Lifted<function> {
  static constexpr unsigned kOperands = sizeof...(Operands);

  static uint64_t call(const uint64_t *words) {
    return callAt(words, std::index_sequence_for<Operands...>());
  }
  /// Calls the function on two values of 16 bits in each word.
  static uint64_t callOnPairs(const uint64_t *words) {
    uint64_t upper[sizeof...(Operands)];
    for (unsigned i = 0; i < sizeof...(Operands); ++i)
      upper[i] = words[i] >> 16;
    return call(words) | call(upper) << 16;
  }

private:
  template <size_t... places>
  static uint64_t callAt(const uint64_t *words,
                         std::index_sequence<places...>) {
    return toWord<Result>(function(fromWord<Operands>(words[places])...));
  }
};

template <auto function>
inline constexpr ScalarFunction lift =
    onWords<&Lifted<function>::call, Lifted<function>::kOperands>;
template <auto function>
inline constexpr ScalarFunction liftToPairs =
    onWords<&Lifted<function>::callOnPairs, Lifted<function>::kOperands>;

/// Passes a type to a generic lambda.
template <typename T>
struct Tag {
  using Value = T;
};

/// Returns visit(Tag<T>()) for the C++ type T of an integer type; null for
/// other types. Bits are unsigned.
template <typename Visit>
ScalarFunction visitInteger(Type type, Visit visit) {
  switch (type) {
  case Type::U8:
    return visit(Tag<uint8_t>());
  case Type::S8:
    return visit(Tag<int8_t>());
  case Type::B16:
  case Type::U16:
    return visit(Tag<uint16_t>());
  case Type::S16:
    return visit(Tag<int16_t>());
  case Type::B32:
  case Type::U32:
    return visit(Tag<uint32_t>());
  case Type::S32:
    return visit(Tag<int32_t>());
  case Type::B64:
  case Type::U64:
    return visit(Tag<uint64_t>());
  case Type::S64:
    return visit(Tag<int64_t>());
  default:
    return nullptr;
  }
}

/// Returns `visit` of a flag that is a template argument.
template <typename Visit>
ScalarFunction visitFlag(bool flag, Visit visit) {
  return flag ? visit(std::true_type()) : visit(std::false_type());
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_SCALARWORDS_H
