//===- FormName.h - Reads names of instructions -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a name after the first one ("rn", "ftz", "f32") select the form
// of an instruction. Finders take the parts that they know. A part that is left
// at the end makes the form unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_FORMNAME_H
#define TESSERA_LIB_EMULATOR_SCALAR_FORMNAME_H

#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/Twine.h"

namespace tessera::emu {

using Rounding = llvm::RoundingMode;

class FormName {
public:
  explicit FormName(const Instruction &instruction);

  StringRef getRoot() const { return instruction.getRoot(); }
  /// Returns the number of operands after the result.
  unsigned countSources() const { return sources; }
  /// Returns the last type, which is that of the operands, without taking it.
  std::optional<Type> peekType() const;

  /// Takes `part`. Returns whether the name has it.
  bool take(StringRef part);
  /// Takes the first of `choices` that the name has. Returns its index.
  std::optional<unsigned> takeOneOf(ArrayRef<StringRef> choices);
  /// Takes the next type, from left to right.
  llvm::Expected<Type> takeType(ArrayRef<Type> allowed);
  /// Takes rn, rz, rm or rp.
  std::optional<Rounding> takeRounding();

  /// Returns an error with the reason why this form does not exist.
  llvm::Error refuse(const llvm::Twine &why) const;
  llvm::Error checkAllTaken() const;

  /// Returns the form. Fails if `function` is null: visitors return null for
  /// combinations that do not exist.
  llvm::Expected<ScalarForm> makeForm(ScalarFunction function, Type result,
                                      ArrayRef<Type> operands) const;

private:
  const Instruction &instruction;
  unsigned sources;
  /// Has one element for each part of the instruction.
  SmallVector<bool, 8> isTaken;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_FORMNAME_H
