//===- ElementReduction.cpp - Reductions of elements in memory --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reductions of cp.reduce.async.bulk in memory, element by element. A table
// maps an operation and a type to a function on words (PTX ISA, the table for
// global memory). Pairs outside of the table are errors that list the supported
// types. Sums of f16 and bf16 are computed in double and rounded once.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/ElementReduction.h"

#include "tessera/Array/Rounding.h"
#include "tessera/Emulator/TensorMap.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace array = tessera::array;
using array::ElementType;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;
namespace endian = llvm::support::endian;

namespace {

enum class ReductionKind { Unknown, Add, Min, Max, Inc, Dec, And, Or, Xor };

/// Combines two elements in the low bits; upper bits of the result are dropped.
using ElementCombination = uint64_t (*)(uint64_t target, uint64_t source);

uint64_t addElements(uint64_t a, uint64_t b) { return a + b; }
template <typename T>
uint64_t minElements(uint64_t a, uint64_t b) {
  return std::min(static_cast<T>(a), static_cast<T>(b));
}
template <typename T>
uint64_t maxElements(uint64_t a, uint64_t b) {
  return std::max(static_cast<T>(a), static_cast<T>(b));
}
/// Increments up to the source, then wraps to 0; decrements in reverse.
uint64_t incElement(uint64_t a, uint64_t b) { return a >= b ? 0 : a + 1; }
uint64_t decElement(uint64_t a, uint64_t b) {
  return a == 0 || a > b ? b : a - 1;
}
uint64_t bitAnd(uint64_t a, uint64_t b) { return a & b; }
uint64_t bitOr(uint64_t a, uint64_t b) { return a | b; }
uint64_t bitXor(uint64_t a, uint64_t b) { return a ^ b; }

template <bool flushes>
uint64_t addF32(uint64_t a, uint64_t b) {
  auto flush = [](float value) {
    return flushes && std::fpclassify(value) == FP_SUBNORMAL
               ? std::copysign(0.0f, value)
               : value;
  };
  float sum = flush(flush(llvm::bit_cast<float>(static_cast<uint32_t>(a))) +
                    flush(llvm::bit_cast<float>(static_cast<uint32_t>(b))));
  return std::isnan(sum) ? 0x7FFFFFFF : llvm::bit_cast<uint32_t>(sum);
}

uint64_t addF64(uint64_t a, uint64_t b) {
  return llvm::bit_cast<uint64_t>(llvm::bit_cast<double>(a) +
                                  llvm::bit_cast<double>(b));
}

/// Adds f16 or bf16. A double is exact enough for rounding: if it drops bits,
/// one operand is too small to matter.
template <ElementType type>
uint64_t addNarrow(uint64_t a, uint64_t b) {
  double sum = double(array::decode(type, static_cast<uint32_t>(a))) +
               double(array::decode(type, static_cast<uint32_t>(b)));
  if (std::isnan(sum))
    return 0x7FFF;
  return array::encode(type, array::roundTo(type, sum));
}

/// Like the instructions min and max: a number wins over NaN, and -0 is below
/// +0.
template <ElementType type, bool isMax>
uint64_t minMaxNarrow(uint64_t a, uint64_t b) {
  float x = array::decode(type, static_cast<uint32_t>(a));
  float y = array::decode(type, static_cast<uint32_t>(b));
  if (std::isnan(x) && std::isnan(y))
    return 0x7FFF;
  if (std::isnan(x))
    return b;
  if (std::isnan(y))
    return a;
  bool isLess = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return isLess == isMax ? b : a;
}

ElementCombination findBitReduction(ReductionKind operation) {
  return operation == ReductionKind::And   ? bitAnd
         : operation == ReductionKind::Or  ? bitOr
         : operation == ReductionKind::Xor ? bitXor
                                           : nullptr;
}

template <typename T>
ElementCombination findIntegerReduction(ReductionKind operation) {
  switch (operation) {
  case ReductionKind::Add:
    return addElements;
  case ReductionKind::Min:
    return minElements<T>;
  case ReductionKind::Max:
    return maxElements<T>;
  default:
    return nullptr;
  }
}

template <ElementType type>
ElementCombination findNarrowReduction(ReductionKind operation) {
  switch (operation) {
  case ReductionKind::Add:
    return addNarrow<type>;
  case ReductionKind::Min:
    return minMaxNarrow<type, false>;
  case ReductionKind::Max:
    return minMaxNarrow<type, true>;
  default:
    return nullptr;
  }
}

/// Looks up the table of cp.reduce.async.bulk for global memory.
ElementCombination findReduction(ReductionKind operation, Type type,
                                 bool flushes) {
  switch (type) {
  case Type::B32:
  case Type::B64:
    return findBitReduction(operation);
  case Type::U32:
    return operation == ReductionKind::Inc ? incElement
           : operation == ReductionKind::Dec
               ? decElement
               : findIntegerReduction<uint32_t>(operation);
  case Type::S32:
    return findIntegerReduction<int32_t>(operation);
  case Type::U64:
    return findIntegerReduction<uint64_t>(operation);
  case Type::S64:
    return operation == ReductionKind::Add
               ? nullptr
               : findIntegerReduction<int64_t>(operation);
  case Type::F16:
    return findNarrowReduction<ElementType::F16>(operation);
  case Type::BF16:
    return findNarrowReduction<ElementType::BF16>(operation);
  case Type::F32:
    return operation != ReductionKind::Add ? nullptr
           : flushes                       ? addF32<true>
                                           : addF32<false>;
  case Type::F64:
    return operation == ReductionKind::Add ? addF64 : nullptr;
  default:
    return nullptr;
  }
}

ReductionKind parseReductionKind(StringRef name) {
  return llvm::StringSwitch<ReductionKind>(name)
      .Case("add", ReductionKind::Add)
      .Case("min", ReductionKind::Min)
      .Case("max", ReductionKind::Max)
      .Case("inc", ReductionKind::Inc)
      .Case("dec", ReductionKind::Dec)
      .Case("and", ReductionKind::And)
      .Case("or", ReductionKind::Or)
      .Case("xor", ReductionKind::Xor)
      .Default(ReductionKind::Unknown);
}

/// Returns an error that lists the types of the operation.
Error failReduction(StringRef name, ReductionKind operation, const Twine &type,
                    bool isTensor) {
  StringRef types = "u32";
  if (operation == ReductionKind::Add)
    types = isTensor ? "u32, s32, u64, f32, f16 and bf16"
                     : "u32, s32, u64, f32, f64, f16 and bf16";
  else if (operation == ReductionKind::Min || operation == ReductionKind::Max)
    types = "u32, s32, u64, s64, f16 and bf16";
  else if (findBitReduction(operation))
    types = "elements of 32 and 64 bits";
  return createStringError(
      "the reduction '." + Twine(name) + "' does not exist for " + type +
      "; there it is for " + types +
      " (others can be done element by element with atom or red)");
}

template <typename T>
void combineElements(ElementCombination combination,
                     llvm::MutableArrayRef<uint8_t> target,
                     ArrayRef<uint8_t> source) {
  for (size_t i = 0; i < target.size(); i += sizeof(T)) {
    T a = endian::read<T, llvm::endianness::little>(target.data() + i);
    T b = endian::read<T, llvm::endianness::little>(source.data() + i);
    endian::write<T, llvm::endianness::little>(
        target.data() + i, static_cast<T>(combination(a, b)));
  }
}

/// Returns the bytes of a type in the table.
unsigned getTableBytes(Type type) {
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  default:
    return 4;
  }
}

Error reduceAll(StringRef name, Type type, bool flushes, bool isTensor,
                llvm::MutableArrayRef<uint8_t> target,
                ArrayRef<uint8_t> source) {
  ReductionKind operation = parseReductionKind(name);
  if (operation == ReductionKind::Unknown)
    return createStringError("unknown reduction '." + Twine(name) +
                             "', expected add, min, max, inc, dec, and, or or "
                             "xor");
  ElementCombination combination = findReduction(operation, type, flushes);
  if (!combination)
    return failReduction(name, operation, "this type of element", isTensor);
  unsigned bytes = getTableBytes(type);
  if (target.size() != source.size() || target.size() % bytes != 0)
    return createStringError("a reduction of elements of " + Twine(bytes) +
                             " bytes got " + Twine(source.size()) +
                             " bytes for " + Twine(target.size()));
  if (bytes == 2)
    combineElements<uint16_t>(combination, target, source);
  else if (bytes == 4)
    combineElements<uint32_t>(combination, target, source);
  else
    combineElements<uint64_t>(combination, target, source);
  return Error::success();
}

/// Returns the type in the table for a CUtensorMapDataType; none if tensor
/// copies do not reduce that type. The table of cp.reduce.async.bulk has f64,
/// that of cp.reduce.async.bulk.tensor does not.
std::optional<Type> getReducedType(int mapType, bool isBitwise) {
  switch (mapType) {
  case 2: // UINT32
    return isBitwise ? Type::B32 : Type::U32;
  case 3: // INT32
    return isBitwise ? Type::B32 : Type::S32;
  case 4: // UINT64
    return isBitwise ? Type::B64 : Type::U64;
  case 5: // INT64
    return isBitwise ? Type::B64 : Type::S64;
  case 6: // FLOAT16
    return Type::F16;
  case 7:  // FLOAT32
  case 10: // FLOAT32_FTZ
    return Type::F32;
  case 9: // BFLOAT16
    return Type::BF16;
  default:
    return std::nullopt;
  }
}

} // namespace

Error tessera::emu::reduceElements(StringRef operation, Type type, bool flushes,
                                   llvm::MutableArrayRef<uint8_t> target,
                                   ArrayRef<uint8_t> source) {
  return reduceAll(operation, type, flushes, /*isTensor=*/false, target,
                   source);
}

Error tessera::emu::reduceElements(StringRef operation, int type,
                                   llvm::MutableArrayRef<uint8_t> target,
                                   ArrayRef<uint8_t> source) {
  ReductionKind parsed = parseReductionKind(operation);
  std::optional<Type> reduced =
      getReducedType(type, findBitReduction(parsed) != nullptr);
  if (!reduced && parsed != ReductionKind::Unknown)
    return failReduction(operation, parsed,
                         "tensor maps of data type " + Twine(type),
                         /*isTensor=*/true);
  return reduceAll(operation, reduced.value_or(Type::B32),
                   /*flushes=*/type == 10,
                   /*isTensor=*/true, target, source);
}
