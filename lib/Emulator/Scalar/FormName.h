//===- FormName.h - Reads the name of an instruction ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a name after the first ("rn", "ftz", "f32") say which form of an
// instruction it is. Finders take the parts that they know; what is left at the
// end makes the form unknown.
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
  /// Operands after the result.
  unsigned countSources() const { return sources; }
  /// The last type, which is that of the operands; not taken.
  std::optional<Type> peekType() const;

  /// Whether the name has `part`, which is then taken.
  bool take(StringRef part);
  /// The place in `choices` of the first one that the name has.
  std::optional<unsigned> takeOneOf(ArrayRef<StringRef> choices);
  /// Types are taken from left to right.
  llvm::Expected<Type> takeType(ArrayRef<Type> allowed);
  /// rn, rz, rm or rp.
  std::optional<Rounding> takeRounding();

  /// An error that says `why` this form is none.
  llvm::Error refuse(const llvm::Twine &why) const;
  llvm::Error checkAllTaken() const;

  /// The form; an error if `function` is null, since visitors return that for
  /// combinations that do not exist.
  llvm::Expected<ScalarForm> makeForm(ScalarFunction function, Type result,
                                      ArrayRef<Type> operands) const;

private:
  const Instruction &instruction;
  unsigned sources;
  /// Of the same length as the parts of the instruction.
  SmallVector<bool, 8> isTaken;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_FORMNAME_H
