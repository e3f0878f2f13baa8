//===- Instruction.cpp - Instructions, guards and branches ----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of an instruction: guard, name, operands. The name
// is joined from its first identifier and the dotted words that follow.
// Branches and calls have operands of their own: labels and lists.
//
//===----------------------------------------------------------------------===//

#include "Function.h"

namespace tessera::emu::parsing {

/// Parses "@%p1" or "@!%p1".
bool FunctionParser::parseGuard(std::optional<Guard> &guard) {
  cursor.advance();
  guard.emplace();
  guard->isNegated = cursor.consume("!");
  return operands.parsePredicate("a guard", guard->reg);
}

/// Joins the parts of the name; the first one is `name`.
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

/// Parses a list of operands after '('.
bool FunctionParser::parseCallList(Operand &list) {
  if (cursor.consume(")"))
    return true;
  do {
    if (!operands.parse(list.elements.emplace_back()))
      return false;
  } while (cursor.consume(","));
  return cursor.expect(")", "')' after what is given to a function");
}

/// Parses `call (results), function, (arguments), prototype`; only the function
/// is required.
bool FunctionParser::parseCall(Instruction &instruction) {
  instruction.operands.resize(3);
  auto &results = instruction.operands[0], &callee = instruction.operands[1],
       &arguments = instruction.operands[2];
  results.kind = arguments.kind = Operand::Vector;
  if (cursor.consume("(") &&
      (!parseCallList(results) ||
       !cursor.expect(",", "',' before the name of a function")))
    return false;
  if (!cursor.isIdentifier())
    return cursor.errorExpected("the name of a function");
  const NameEntry *entry = names.find(cursor.get().text);
  if (entry && entry->kind == NameEntry::Register) {
    if (!operands.parse(callee))
      return false;
  } else {
    callee.kind = Operand::Label;
    callee.name = cursor.take().text.str();
  }
  bool hasMore = cursor.consume(",");
  if (hasMore && cursor.consume("(")) {
    if (!parseCallList(arguments))
      return false;
    hasMore = cursor.consume(",");
  }
  Token prototype;
  if (hasMore && !cursor.expectIdentifier(prototype, "the name of a prototype"))
    return false;
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

/// Parses operands; those of branches are `bra label` and `brx.idx index,
/// list`.
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
  if (instruction->getRoot() == "call" ? !parseCall(*instruction)
                                       : !parseOperands(*instruction))
    return false;
  kernel->body.push_back(std::move(instruction));
  return true;
}

} // namespace tessera::emu::parsing
