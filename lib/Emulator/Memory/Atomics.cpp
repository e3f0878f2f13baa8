//===- Atomics.cpp - Atomic operations on elements --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes atomic operations on the bits of one element. Integers wrap to their
// width; signed minimum and maximum compare sign-extended values. Additions of
// 16-bit floats use the scalar form of `add`, and additions of f32 in global
// memory flush subnormal numbers. The caller makes the read and the write one
// step.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace tessera::emu;
namespace emu = tessera::emu;

std::optional<AtomicOperation> emu::getAtomicOperation(StringRef part,
                                                       Type type) {
  using Kind = AtomicOperation::Kind;
  std::optional<Kind> kind = llvm::StringSwitch<std::optional<Kind>>(part)
                                 .Case("add", Kind::Add)
                                 .Case("exch", Kind::Exchange)
                                 .Case("cas", Kind::CompareAndSwap)
                                 .Case("min", Kind::Min)
                                 .Case("max", Kind::Max)
                                 .Case("and", Kind::And)
                                 .Case("or", Kind::Or)
                                 .Case("xor", Kind::Xor)
                                 .Case("inc", Kind::Increment)
                                 .Case("dec", Kind::Decrement)
                                 .Default(std::nullopt);
  if (!kind || (isFloat(type) && *kind != Kind::Add))
    return std::nullopt;
  if ((*kind == Kind::Increment || *kind == Kind::Decrement) &&
      type != Type::U32)
    return std::nullopt;
  return AtomicOperation{*kind, type};
}

/// Returns the sum of floats, by the form of the `add` of this type.
static uint64_t addFloats(Type type, uint64_t a, uint64_t b, bool flushes) {
  if (type == Type::F32) {
    auto flush = [&](float x) {
      return flushes && std::fpclassify(x) == FP_SUBNORMAL
                 ? std::copysign(0.0f, x)
                 : x;
    };
    float x = flush(llvm::bit_cast<float>(uint32_t(a)));
    float y = flush(llvm::bit_cast<float>(uint32_t(b)));
    return llvm::bit_cast<uint32_t>(flush(x + y));
  }
  if (type == Type::F64)
    return llvm::bit_cast<uint64_t>(llvm::bit_cast<double>(a) +
                                    llvm::bit_cast<double>(b));
  Instruction add;
  add.name = ("add." + toString(type)).str();
  StringRef(add.name).split(add.parts, '.');
  add.operands.resize(3);
  auto form = findScalarForm(add);
  uint64_t operands[] = {a, b};
  if (form && *form)
    return (*form)->function(operands);
  llvm::consumeError(form.takeError());
  return 0;
}

uint64_t AtomicOperation::apply(uint64_t old, uint64_t operand, uint64_t swap,
                                bool isGlobal) const {
  unsigned bits = getBits(type);
  uint64_t mask = getMask(type);
  operand &= mask;
  auto wide = [&](uint64_t value) {
    return int64_t(value << (64 - bits)) >> (64 - bits);
  };
  bool isLess = isSigned(type) ? wide(old) < wide(operand) : old < operand;
  switch (kind) {
  case Add:
    return isFloat(type) ? addFloats(type, old, operand, isGlobal)
                         : (old + operand) & mask;
  case Exchange:
    return operand;
  case CompareAndSwap:
    return old == operand ? swap & mask : old;
  case Min:
    return isLess ? old : operand;
  case Max:
    return isLess ? operand : old;
  case And:
    return old & operand;
  case Or:
    return old | operand;
  case Xor:
    return old ^ operand;
  case Increment:
    return old >= operand ? 0 : old + 1;
  case Decrement:
    return old == 0 || old > operand ? operand : old - 1;
  }
  return 0;
}
