//===- ScalarForms.h - What instructions compute in one thread --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that read registers of a thread and write one, and touch nothing
// else: arithmetic, comparisons, logic, conversions (PTX ISA, 9.7.1 to 9.7.8).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_SCALARFORMS_H
#define TESSERA_EMULATOR_SCALARFORMS_H

#include "tessera/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Takes the operands after the result, each in the low bits of a word whose
/// upper bits are zero (a predicate is 0 or 1), and returns the result so. A
/// result of a signed type that is narrower than its register (cvt.s8.s32) is
/// for the caller to extend (PTX ISA, "Operand Size Exceeding Instruction-Type
/// Size"). Pairs of integers (add.u16x2) have the type B32.
using WordFunction = uint64_t (*)(const uint64_t *operands);

/// A WordFunction, optionally with a loop over the 32 threads of a warp.
class ScalarFunction {
public:
  /// Operand i of thread t is `operands[i][t]`. `results` may alias an operand.
  using WarpFunction = void (*)(uint64_t *results,
                                const uint64_t *const *operands);

  constexpr ScalarFunction() = default;
  constexpr ScalarFunction(std::nullptr_t) {}
  constexpr ScalarFunction(WordFunction word, WarpFunction warp = nullptr)
      : word(word), warp(warp) {}

  explicit operator bool() const { return word; }
  uint64_t operator()(const uint64_t *operands) const { return word(operands); }
  /// Null if the function has no loop of its own.
  WarpFunction getWarpFunction() const { return warp; }

private:
  WordFunction word = nullptr;
  WarpFunction warp = nullptr;
};

struct ScalarForm {
  ScalarFunction function;
  Type result;
  SmallVector<Type, 3> operands;
};

/// The form of an instruction of this kind; none if it is of another kind (its
/// first part, or its state space, says that). An error, without location, if
/// the first part is known and the form is not.
///
/// Functions whose results PTX defines to the bit give these. Approximate ones
/// (ex2.approx, lg2.approx, rsqrt.approx, rcp.approx, sqrt.approx, sin.approx,
/// cos.approx, tanh.approx, div.approx, div.full) give the correctly rounded
/// result of the operand, as far as the host's f64 functions do, subnormal
/// operands and results flushed where `.ftz` says so; getApproximateFunctions
/// lists how far machines differ. NaN results of f32 are 0x7fffffff, those of
/// 16 bits 0x7fff; PTX leaves both open.
llvm::Expected<std::optional<ScalarForm>>
findScalarForm(const Instruction &instruction);

/// What machines may give instead of the correctly rounded result.
struct ApproximateFunction {
  enum Measure : uint8_t {
    Places,   // units of the last place of the result
    Relative, // to the result
    Absolute,
  };
  /// "ex2.approx.f32": without `.ftz`, and without `x2` of packed types.
  StringRef name;
  Measure measure;
  double error;
  /// The bound is for operands of a magnitude from `from` to `to`. Of several
  /// entries of one function the first whose range fits holds; PTX states none
  /// for operands outside of all, and for the functions of f64.
  double from, to;
};
/// Sorted by name.
ArrayRef<ApproximateFunction> getApproximateFunctions();

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_SCALARFORMS_H
