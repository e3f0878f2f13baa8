//===- ElementProgram.h - PTX that computes an element ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of `asm` in the language: instructions on registers of one thread.
// `$0` is the register of the result, and `$1`, `$2`, … are those of the
// operands.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_ELEMENTPROGRAM_H
#define TESSERA_EMULATOR_ELEMENTPROGRAM_H

#include "tessera/Emulator/Module.h"

namespace tessera::emu {

/// An error in a text, with its line and column from 1 on; line 0 denotes the
/// whole text.
struct TextError {
  unsigned line = 0, column = 0;
  std::string message;
};

/// A program without effects: it has the scalar forms as instructions
/// (ScalarForms.h), accesses no memory and no special register, and has no
/// branches. Each register is written before it is read.
class ElementProgram {
public:
  /// Parses a text. The types are F16, BF16, F32, F64, S16, S32 and S64; the
  /// integers may be unsigned. Returns null and sets `error` unless each
  /// instruction is known, its operands have its types, and all operands are
  /// used.
  static std::unique_ptr<const ElementProgram>
  parse(StringRef text, Type result, ArrayRef<Type> operands, TextError &error);
  virtual ~ElementProgram() = default;

  /// Computes results[i] from operands[0][i], operands[1][i], …, each in the
  /// low bits of a word whose upper bits are zero.
  virtual void run(ArrayRef<ArrayRef<uint64_t>> operands,
                   llvm::MutableArrayRef<uint64_t> results) const = 0;

  virtual ArrayRef<std::unique_ptr<Instruction>> getInstructions() const = 0;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_ELEMENTPROGRAM_H
