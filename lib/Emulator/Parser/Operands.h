//===- Operands.h - The operands of an instruction --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 6 "Instruction Operands".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_OPERANDS_H
#define TESSERA_LIB_EMULATOR_PARSER_OPERANDS_H

#include "Names.h"

namespace tessera::emu::parsing {

class OperandParser {
public:
  OperandParser(Cursor &cursor, const Names &names, const Kernel &kernel)
      : cursor(cursor), names(names), kernel(kernel) {}

  bool parse(Operand &operand);
  /// Parses a predicate. `user` names its user in errors: "a guard".
  bool parsePredicate(StringRef user, unsigned &reg);

private:
  bool parseSimple(Operand &operand);
  bool parseConstantOperand(Operand &operand);
  bool parseName(Operand &operand);
  bool parseSpecial(const Token &name, Operand &operand);
  bool parseOffset(int64_t &offset);
  bool parsePairOf(Operand &operand);
  bool parseVector(Operand &operand);
  bool parseAddress(Operand &operand);

  Cursor &cursor;
  const Names &names;
  const Kernel &kernel;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_OPERANDS_H
