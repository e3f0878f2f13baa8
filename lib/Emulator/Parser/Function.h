//===- Function.h - Kernels and functions -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_FUNCTION_H
#define TESSERA_LIB_EMULATOR_PARSER_FUNCTION_H

#include "Labels.h"
#include "Names.h"
#include "Operands.h"

namespace tessera::emu::parsing {

class FunctionParser {
public:
  FunctionParser(Cursor &cursor, Module &module, ModuleNames &moduleNames,
                 bool isKernel);

  /// Parses a function after `.entry` or `.func`.
  bool parse();

private:
  // Signature.cpp
  bool parseRegisterParameter();
  bool parseParameterList(StringRef what, std::vector<Variable> &list);
  bool parseProperties();
  bool parseProperty(const Token &directive);
  bool parseExtent(const Token &directive, unsigned (&extent)[3]);
  bool declare(const Token &name, bool isDefinition);

  // Body.cpp
  bool parseBody();
  bool parseStatement();
  bool parseLabel(const Token &name);
  bool parseDirective();
  bool parseRegisters();
  bool parseLocals(const Token &directive, Variable::Space space,
                   bool isExtern);

  // Instruction.cpp
  bool parseGuard(std::optional<Guard> &guard);
  bool parseInstruction(const Token &name, std::optional<Guard> guard);
  void parseName(const Token &name, Instruction &instruction);
  bool parseOperands(Instruction &instruction);
  bool parseBranchTarget(const Instruction &instruction, Operand &operand);
  bool parseCallList(Operand &list);
  bool parseCall(Instruction &instruction);

  Cursor &cursor;
  Module &module;
  ModuleNames &moduleNames;
  bool isKernel;
  std::unique_ptr<Kernel> kernel;
  Names names;
  Labels labels;
  OperandParser operands;
  /// The location of the last `.loc`.
  Location source;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_FUNCTION_H
