//===- ScalarForms.h - Computation of one thread ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that read registers of a thread, write one register, and access
// nothing else: arithmetic, comparisons, logic, conversions (PTX ISA, 9.7.1 to
// 9.7.8).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_SCALARFORMS_H
#define TESSERA_EMULATOR_SCALARFORMS_H

#include "tessera/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Computes the result of an instruction from its operands. Each operand is in
/// the low bits of a word whose upper bits are zero (a predicate is 0 or 1),
/// and so is the result. The caller extends the result of a signed type that is
/// narrower than its register (extendResult). Pairs of integers (add.u16x2)
/// have the type B32.
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
  /// Returns null if the function has no loop of its own.
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

/// Returns the form of an instruction of this kind; none if it is of another
/// kind, by its first part or its state space. Fails, without a location, if
/// the first part is known and the form is not.
///
/// Functions that PTX defines to the bit give exactly that result. Approximate
/// functions (ex2.approx, lg2.approx, rsqrt.approx, rcp.approx, sqrt.approx,
/// sin.approx, cos.approx, tanh.approx, div.approx, div.full) give the
/// correctly rounded result of the operand, as far as the host's f64 functions
/// do. With `.ftz`, subnormal operands and results are flushed.
/// getApproximateFunctions lists the differences of machines. NaN results of
/// f32 are 0x7fffffff, those of 16 bits 0x7fff; PTX defines neither.
llvm::Expected<std::optional<ScalarForm>>
findScalarForm(const Instruction &instruction);

/// Extends a result of a signed type that is narrower than its register of
/// `width` bits (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
uint64_t extendResult(uint64_t word, Type type, unsigned width);

/// The permitted difference of a machine's result from the correctly rounded
/// one.
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
  /// The bound applies to operands of a magnitude from `from` to `to`. If a
  /// function has several entries, the first one whose range fits applies. PTX
  /// states no bound for operands outside of all ranges, and for functions of
  /// f64.
  double from, to;
};
/// Sorted by name.
ArrayRef<ApproximateFunction> getApproximateFunctions();

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_SCALARFORMS_H
