//===- Module.cpp - Types by name, kernels by name ------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/Module.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;

namespace {

enum class NumberClass : uint8_t { Bits, Unsigned, Signed, Float };

struct TypeFacts {
  Type type;
  StringRef name;
  unsigned bits;
  NumberClass numberClass;
};

/// The types in the order of the enumeration.
constexpr TypeFacts kTypeFacts[] = {
    {Type::Pred, "pred", 1, NumberClass::Bits},
    {Type::B8, "b8", 8, NumberClass::Bits},
    {Type::B16, "b16", 16, NumberClass::Bits},
    {Type::B32, "b32", 32, NumberClass::Bits},
    {Type::B64, "b64", 64, NumberClass::Bits},
    {Type::B128, "b128", 128, NumberClass::Bits},
    {Type::U8, "u8", 8, NumberClass::Unsigned},
    {Type::U16, "u16", 16, NumberClass::Unsigned},
    {Type::U32, "u32", 32, NumberClass::Unsigned},
    {Type::U64, "u64", 64, NumberClass::Unsigned},
    {Type::S8, "s8", 8, NumberClass::Signed},
    {Type::S16, "s16", 16, NumberClass::Signed},
    {Type::S32, "s32", 32, NumberClass::Signed},
    {Type::S64, "s64", 64, NumberClass::Signed},
    {Type::F16, "f16", 16, NumberClass::Float},
    {Type::F16x2, "f16x2", 32, NumberClass::Float},
    {Type::BF16, "bf16", 16, NumberClass::Float},
    {Type::BF16x2, "bf16x2", 32, NumberClass::Float},
    {Type::TF32, "tf32", 32, NumberClass::Float},
    {Type::F32, "f32", 32, NumberClass::Float},
    {Type::F64, "f64", 64, NumberClass::Float},
    {Type::E4M3, "e4m3", 8, NumberClass::Float},
    {Type::E5M2, "e5m2", 8, NumberClass::Float},
    {Type::E4M3x2, "e4m3x2", 16, NumberClass::Float},
    {Type::E5M2x2, "e5m2x2", 16, NumberClass::Float},
};

constexpr bool areTypesInOrder() {
  for (unsigned i = 0; i < std::size(kTypeFacts); ++i)
    if (static_cast<unsigned>(kTypeFacts[i].type) != i)
      return false;
  return true;
}
static_assert(areTypesInOrder());

const TypeFacts &getFacts(Type type) {
  return kTypeFacts[static_cast<unsigned>(type)];
}

} // namespace

std::optional<Type> emu::parseType(StringRef text) {
  for (const TypeFacts &facts : kTypeFacts)
    if (facts.name == text)
      return facts.type;
  return std::nullopt;
}

StringRef emu::toString(Type type) { return getFacts(type).name; }

unsigned emu::getBits(Type type) { return getFacts(type).bits; }

uint64_t emu::getMask(Type type) {
  return llvm::maskTrailingOnes<uint64_t>(std::min(getBits(type), 64u));
}

bool emu::isSigned(Type type) {
  return getFacts(type).numberClass == NumberClass::Signed;
}

bool emu::isFloat(Type type) {
  return getFacts(type).numberClass == NumberClass::Float;
}

uint64_t emu::getImmediate(const Operand &operand, Type type) {
  if (operand.kind == Operand::Float && operand.floatType == Type::F64 &&
      type == Type::F32) {
    float value = llvm::bit_cast<double>(operand.bits);
    return llvm::bit_cast<uint32_t>(value);
  }
  return operand.bits & getMask(type);
}

const Kernel *Module::findKernel(StringRef name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}
