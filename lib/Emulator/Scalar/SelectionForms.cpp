//===- SelectionForms.cpp - Moves and selections ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Comparison and Selection Instructions", and mov of "Data Movement
// and Conversion Instructions" without vectors. Values are bits here.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

static constexpr Type kValues[] = {Type::B16, Type::B32, Type::B64, Type::U16,
                                   Type::U32, Type::U64, Type::S16, Type::S32,
                                   Type::S64, Type::F32, Type::F64};

static uint64_t move(const uint64_t *words) { return words[0]; }

static uint64_t select(const uint64_t *words) {
  return words[words[2] & 1 ? 0 : 1];
}

static uint64_t selectByInteger(const uint64_t *words) {
  return words[fromWord<int32_t>(words[2]) >= 0 ? 0 : 1];
}

/// Selects the first operand for -0, and the second one for a NaN.
template <bool isFlushed>
static uint64_t selectByFloat(const uint64_t *words) {
  return words[flushIf<isFlushed>(fromWord<float>(words[2])) >= 0 ? 0 : 1];
}

llvm::Expected<ScalarForm> emu::findMove(FormName &name) {
  SmallVector<Type, 12> types{ArrayRef<Type>(kValues)};
  types.push_back(Type::Pred);
  llvm::Expected<Type> type = name.takeType(types);
  if (!type)
    return type.takeError();
  return name.makeForm(onWords<move, 1>, *type, {*type});
}

llvm::Expected<ScalarForm> emu::findSelection(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kValues);
  if (!type)
    return type.takeError();
  return name.makeForm(onWords<select, 3>, *type, {*type, *type, Type::Pred});
}

llvm::Expected<ScalarForm> emu::findSignSelection(FormName &name) {
  llvm::Expected<Type> type = name.takeType(kValues);
  if (!type)
    return type.takeError();
  llvm::Expected<Type> sign = name.takeType({Type::S32, Type::F32});
  if (!sign)
    return sign.takeError();
  WordFunction function = *sign == Type::S32 ? selectByInteger
                          : name.take("ftz") ? selectByFloat<true>
                                             : selectByFloat<false>;
  return name.makeForm(function, *type, {*type, *type, *sign});
}
