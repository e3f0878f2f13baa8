//===- Instruction.cpp - Instructions, guards and branches ----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Function.h"

namespace tessera::emu::parsing {

/// "@%p1" or "@!%p1".
bool FunctionParser::parseGuard(std::optional<Guard> &guard) {
  cursor.advance();
  guard.emplace();
  guard->isNegated = cursor.consume("!");
  return operands.parsePredicate("a guard", guard->reg);
}

/// Joins the parts of the name, the first of which is `name`.
void FunctionParser::parseName(const Token &name, Instruction &instruction) {
  SmallVector<size_t, 8> ends;
  instruction.name = name.text.str();
  ends.push_back(name.text.size());
  while (cursor.isDotWord()) {
    instruction.name += cursor.take().text;
    ends.push_back(instruction.name.size());
  }
  StringRef text = instruction.name;
  size_t start = 0;
  for (size_t end : ends) {
    instruction.parts.push_back(text.slice(start, end));
    start = end + 1;
  }
}

/// A call is an error in a kernel; in other functions nothing comes of it.
bool FunctionParser::parseCall(const Instruction &instruction) {
  StringRef callee;
  unsigned depth = 0;
  for (; !cursor.is(";") && !cursor.is("}") && !cursor.isEnd();
       cursor.advance()) {
    if (cursor.is("("))
      ++depth;
    else if (cursor.is(")"))
      depth -= depth != 0;
    else if (cursor.isIdentifier() && depth == 0 && callee.empty())
      callee = cursor.get().text;
  }
  if (isKernel && !callee.empty())
    return cursor.error(instruction.where.line, instruction.where.column,
                        "call of '" + callee +
                            "': functions are not supported");
  if (callee.empty())
    return cursor.errorExpected("the name of a function");
  return cursor.expect(";", "';' after 'call'");
}

bool FunctionParser::parseBranchTarget(const Instruction &instruction,
                                       Operand &operand) {
  Token label;
  if (!cursor.expectIdentifier(label, "a label"))
    return false;
  operand.kind = Operand::Label;
  operand.name = label.text.str();
  if (instruction.getRoot() == "brx")
    return labels.addIndexedBranch(label);
  labels.addBranch(label);
  return true;
}

/// Branches: `bra label` and `brx.idx index, list`.
bool FunctionParser::parseOperands(Instruction &instruction) {
  StringRef root = instruction.getRoot();
  unsigned target = root == "bra" ? 0 : root == "brx" ? 1 : ~0u;
  if (!cursor.is(";")) {
    do {
      bool isTarget = instruction.operands.size() == target;
      Operand &operand = instruction.operands.emplace_back();
      if (isTarget ? !parseBranchTarget(instruction, operand)
                   : !operands.parse(operand))
        return false;
    } while (cursor.consume(","));
  }
  if (target != ~0u && instruction.operands.size() != target + 1)
    return cursor.error(instruction.where.line, instruction.where.column,
                        "'" + instruction.name + "' has " +
                            llvm::Twine(target + 1) +
                            (target ? " operands" : " operand"));
  return cursor.expect(";", "',' or ';' after an operand");
}

bool FunctionParser::parseInstruction(const Token &name,
                                      std::optional<Guard> guard) {
  auto instruction = std::make_unique<Instruction>();
  instruction->guard = guard;
  instruction->where = source;
  instruction->where.line = name.line;
  instruction->where.column = name.column;
  parseName(name, *instruction);
  if (instruction->getRoot() == "call")
    return parseCall(*instruction);
  if (!parseOperands(*instruction))
    return false;
  kernel->body.push_back(std::move(instruction));
  return true;
}

} // namespace tessera::emu::parsing
