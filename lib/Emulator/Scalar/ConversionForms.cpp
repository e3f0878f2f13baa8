//===- ConversionForms.cpp - Conversions ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: cvt". Selects the kind
// of conversion by the types in the name. Conversions of pairs, f8 and tf32 are
// in PackedConversions.cpp.
//
//===----------------------------------------------------------------------===//

#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

static bool isFloatType(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64;
}

llvm::Expected<ScalarForm> emu::findConversion(FormName &name) {
  if (name.take("pack"))
    return findIntegerPacking(name);
  constexpr Type scalars[] = {Type::U8,  Type::U16, Type::U32,  Type::U64,
                              Type::S8,  Type::S16, Type::S32,  Type::S64,
                              Type::F16, Type::F32, Type::BF16, Type::F64};
  constexpr Type targets[] = {
      Type::U8,     Type::U16, Type::U32,   Type::U64,    Type::S8,
      Type::S16,    Type::S32, Type::S64,   Type::F16,    Type::BF16,
      Type::F32,    Type::F64, Type::F16x2, Type::BF16x2, Type::E4M3x2,
      Type::E5M2x2, Type::TF32};
  llvm::Expected<Type> target = name.takeType(targets);
  if (!target)
    return target.takeError();
  if (!llvm::is_contained(scalars, *target))
    return findPackedConversion(name, *target);
  llvm::Expected<Type> source = name.takeType(scalars);
  if (!source)
    return source.takeError();
  if (isFloatType(*source))
    return isFloatType(*target) ? findFloatConversion(name, *target, *source)
                                : findFloatToInteger(name, *target, *source);
  return isFloatType(*target) ? findIntegerToFloat(name, *target, *source)
                              : findIntegerConversion(name, *target, *source);
}
