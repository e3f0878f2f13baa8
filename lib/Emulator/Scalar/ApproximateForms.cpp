//===- ApproximateForms.cpp - Approximate functions of floats ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions": the functions of the special function
// unit. They are computed in f64 and rounded to f32. The result is correctly
// rounded unless the exact result is very close to the middle between two f32
// numbers: within the error of f64, about 2^-53 of it.
//
//===----------------------------------------------------------------------===//

#include "FloatArithmetic.h"
#include "ScalarFamilies.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

static double takeReciprocalRoot(double a) { return 1 / std::sqrt(a); }

template <double (*function)(double), bool isFlushed>
static float approximate(float a) {
  auto result = static_cast<float>(function(flushIf<isFlushed>(a)));
  return flushIf<isFlushed>(settleNaN(result));
}

template <double (*function)(double)>
static ScalarFunction choose(bool isFlushed) {
  return isFlushed ? lift<approximate<function, true>>
                   : lift<approximate<function, false>>;
}

llvm::Expected<ScalarForm> emu::findApproximation(FormName &name) {
  if (!name.take("approx"))
    return name.refuse("'.approx' is missing");
  StringRef root = name.getRoot();
  if (root == "rsqrt" && name.peekType() == Type::F64)
    return findReciprocalRoot64(name);
  llvm::Expected<Type> type = name.takeType({Type::F32});
  if (!type)
    return type.takeError();
  // tanh has no `.ftz`.
  bool isFlushed = root != "tanh" && name.take("ftz");
  ScalarFunction function = root == "ex2"   ? choose<::exp2>(isFlushed)
                            : root == "lg2" ? choose<::log2>(isFlushed)
                            : root == "sin" ? choose<::sin>(isFlushed)
                            : root == "cos" ? choose<::cos>(isFlushed)
                            : root == "tanh"
                                ? choose<::tanh>(isFlushed)
                                : choose<takeReciprocalRoot>(isFlushed);
  return name.makeForm(function, *type, {*type});
}

// Bounds of PTX ISA 8.x, from the section of each instruction.
ArrayRef<ApproximateFunction> emu::getApproximateFunctions() {
  using Function = ApproximateFunction;
  constexpr double pi = 3.14159265358979323846;
  constexpr double largest = std::numeric_limits<double>::infinity();
  static const Function functions[] = {
      {"cos.approx.f32", Function::Absolute, std::exp2(-20.5), 0, 2 * pi},
      {"cos.approx.f32", Function::Absolute, std::exp2(-14.7), 0, 100 * pi},
      {"div.approx.f32", Function::Places, 2, 0, largest},
      {"div.full.f32", Function::Places, 2, 0, largest},
      {"ex2.approx.bf16", Function::Relative, std::exp2(-7), 0, largest},
      {"ex2.approx.f16", Function::Relative, std::exp2(-9.9), 0, largest},
      {"ex2.approx.f32", Function::Places, 2, 0, largest},
      {"lg2.approx.f32", Function::Absolute, std::exp2(-22), 0.5, 2},
      {"lg2.approx.f32", Function::Relative, std::exp2(-22), 0, largest},
      {"rcp.approx.f32", Function::Places, 1, 0, largest},
      {"rsqrt.approx.f32", Function::Relative, std::exp2(-22.9), 0, largest},
      {"sin.approx.f32", Function::Absolute, std::exp2(-20.5), 0, 2 * pi},
      {"sin.approx.f32", Function::Absolute, std::exp2(-14.7), 0, 100 * pi},
      {"sqrt.approx.f32", Function::Relative, std::exp2(-23), 0, largest},
      {"tanh.approx.bf16", Function::Absolute, std::exp2(-8), 0, largest},
      {"tanh.approx.f16", Function::Absolute, std::exp2(-10.987), 0, largest},
      {"tanh.approx.f32", Function::Relative, std::exp2(-11), 0, largest},
  };
  return functions;
}
