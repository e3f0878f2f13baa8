//===- FloatForms.cpp - Sums and products of f32 and f64 --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions": add, sub, mul, fma and mad.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

template <typename T, typename... Operands>
struct FormOf {
  /// Returns the function of `Operation` with the modifiers of the name; null
  /// if they do not exist for `T`.
  template <typename Operation>
  static ScalarFunction choose(Rounding rounding, bool isFlushed,
                               bool isSaturated) {
    return visitRounding(rounding, [&](auto mode) {
      return visitFlag(isFlushed, [&](auto flushes) {
        return visitFlag(isSaturated, [&](auto saturates) -> ScalarFunction {
          constexpr bool hasModifiers = flushes || saturates;
          if constexpr (std::is_same_v<T, double> && hasModifiers)
            return nullptr;
          else
            return lift<computeRounded<T, Operation, mode, flushes, saturates,
                                       Operands...>>;
        });
      });
    });
  }
};

template <typename Operation, unsigned count>
static llvm::Expected<ScalarForm> findRounded(FormName &name,
                                              Rounding rounding) {
  llvm::Expected<Type> type = name.takeType({Type::F32, Type::F64});
  if (!type)
    return type.takeError();
  bool isFlushed = name.take("ftz"), isSaturated = name.take("sat");
  ScalarFunction function;
  if constexpr (count == 2)
    function = *type == Type::F32
                   ? FormOf<float, float, float>::template choose<Operation>(
                         rounding, isFlushed, isSaturated)
                   : FormOf<double, double, double>::template choose<Operation>(
                         rounding, isFlushed, isSaturated);
  else
    function =
        *type == Type::F32
            ? FormOf<float, float, float, float>::template choose<Operation>(
                  rounding, isFlushed, isSaturated)
            : FormOf<double, double, double,
                     double>::template choose<Operation>(rounding, isFlushed,
                                                         isSaturated);
  SmallVector<Type, 3> operands(count, *type);
  return name.makeForm(function, *type, operands);
}

llvm::Expected<ScalarForm> emu::findFloatSum(FormName &name) {
  Rounding rounding = name.takeRounding().value_or(Rounding::NearestTiesToEven);
  if (name.getRoot() == "add")
    return findRounded<Addition, 2>(name, rounding);
  if (name.getRoot() == "sub")
    return findRounded<Subtraction, 2>(name, rounding);
  return findRounded<Multiplication, 2>(name, rounding);
}

llvm::Expected<ScalarForm> emu::findFusedProduct(FormName &name) {
  std::optional<Rounding> rounding = name.takeRounding();
  if (!rounding)
    return name.refuse("a rounding (.rn, .rz, .rm, .rp) is missing");
  return findRounded<FusedMultiplication, 3>(name, *rounding);
}
