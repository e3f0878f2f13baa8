//===- Operands.cpp - The operands of an instruction ----------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of operands. The first token decides the kind: `{` a
// vector, `[` an address, `!` a negated predicate; otherwise a name or a
// constant expression. Names are looked up at once, so every register and
// variable is declared before its use.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "Expressions.h"
#include "SpecialRegisters.h"

namespace tessera::emu::parsing {

bool OperandParser::parseConstantOperand(Operand &operand) {
  Constant constant;
  if (!parseExpression(cursor, constant))
    return false;
  operand.kind = constant.isInteger() ? Operand::Integer : Operand::Float;
  operand.bits = constant.bits;
  operand.floatType = constant.kind == Constant::Single ? Type::F32 : Type::F64;
  return true;
}

bool OperandParser::parseSpecial(const Token &name, Operand &operand) {
  operand.kind = Operand::Special;
  operand.name = name.text.str();
  const Token &component = cursor.get();
  if (!cursor.isDotWord() || !component.follows(name))
    return true;
  bool isKnown = llvm::is_contained({".x", ".y", ".z", ".w"}, component.text);
  if (!isKnown || !isSpecialVector(name.text))
    return cursor.error(name, "unknown special register '" + name.text +
                                  component.text + "'");
  operand.name += component.text;
  cursor.advance();
  return true;
}

/// Parses "+ expression", after a register or a variable; 0 if absent.
bool OperandParser::parseOffset(int64_t &offset) {
  return !cursor.consume("+") || parseIntegerExpression(cursor, offset);
}

/// Parses a register, a special register or a variable.
bool OperandParser::parseName(Operand &operand) {
  Token name = cursor.take();
  const NameEntry *entry = names.find(name.text);
  if (!entry && isSpecialRegister(name.text))
    return parseSpecial(name, operand);
  if (!entry && name.text.starts_with("%"))
    return cursor.error(name, "undeclared register '" + name.text + "'");
  if (!entry)
    return cursor.error(name, "undeclared name '" + name.text + "'");

  switch (entry->kind) {
  case NameEntry::Register:
    operand.kind = Operand::Register;
    operand.reg = entry->reg;
    if (cursor.isDotWord() && cursor.get().follows(name))
      return cursor.error(name, "parts of registers ('" + name.text +
                                    cursor.get().text + "') are not supported");
    return true;
  case NameEntry::Variable:
    operand.kind = Operand::Symbol;
    operand.name = entry->variable.str();
    return true;
  case NameEntry::Extern:
    return cursor.error(name, "variable '" + name.text +
                                  "' is of another file: only '.extern' "
                                  "declares it here");
  case NameEntry::HasAddresses:
    return cursor.error(name, "addresses in the initial value of '" +
                                  name.text + "' are not supported");
  case NameEntry::Function:
    return cursor.error(name, "addresses of functions ('" + name.text +
                                  "') are not supported");
  }
  return false;
}

bool OperandParser::parsePredicate(StringRef user, unsigned &reg) {
  Operand operand;
  Token name = cursor.get();
  if (name.kind != Token::Identifier)
    return cursor.errorExpected("a predicate");
  if (!parseName(operand))
    return false;
  if (operand.kind != Operand::Register ||
      kernel.registers[operand.reg].type != Type::Pred)
    return cursor.error(name, user + " must be a predicate, which '" +
                                  name.text + "' is not");
  reg = operand.reg;
  return true;
}

/// Parses an element of a vector: any operand without operands of its own.
bool OperandParser::parseSimple(Operand &operand) {
  const Token &token = cursor.get();
  if (token.kind != Token::Identifier && !startsExpression(token))
    return cursor.errorExpected("an operand");
  if (token.kind != Token::Identifier || token.text == "WARP_SZ")
    return parseConstantOperand(operand);
  if (token.text == "_") {
    cursor.advance();
    operand.kind = Operand::Sink;
    return true;
  }
  return parseName(operand);
}

bool OperandParser::parseVector(Operand &operand) {
  cursor.advance();
  operand.kind = Operand::Vector;
  do {
    operand.elements.emplace_back();
    Operand &element = operand.elements.back();
    if (!parseSimple(element))
      return false;
    if (element.kind == Operand::Symbol && !parseOffset(element.offset))
      return false;
  } while (cursor.consume(","));
  return cursor.expect("}", "'}' after a vector");
}

/// Parses [base], [base + offset], [base, {coordinates}] and further elements.
bool OperandParser::parseAddress(Operand &operand) {
  cursor.advance();
  operand.kind = Operand::Address;
  Token start = cursor.get();
  operand.elements.emplace_back();
  if (!parseSimple(operand.elements.back()))
    return false;
  Operand::Kind base = operand.elements.back().kind;
  if (base != Operand::Register && base != Operand::Symbol)
    return cursor.error(start, "an address starts with a register or a "
                               "variable, not with '" +
                                   start.text + "'");
  if (!parseOffset(operand.offset))
    return false;
  while (cursor.consume(",")) {
    operand.elements.emplace_back();
    Operand &element = operand.elements.back();
    if (cursor.is("{") ? !parseVector(element) : !parseSimple(element))
      return false;
  }
  return cursor.expect("]", "']' after an address");
}

/// Parses the second part of a|b, if present.
bool OperandParser::parsePairOf(Operand &operand) {
  if (!cursor.consume("|"))
    return true;
  Token start = cursor.get();
  Operand second;
  if (!parseSimple(second))
    return false;
  if (second.kind != Operand::Register && second.kind != Operand::Sink)
    return cursor.error(start, "expected a register after '|', found '" +
                                   start.text + "'");
  Operand pair;
  pair.kind = Operand::Pair;
  pair.elements.push_back(std::move(operand));
  pair.elements.push_back(std::move(second));
  operand = std::move(pair);
  return true;
}

bool OperandParser::parse(Operand &operand) {
  if (cursor.is("{"))
    return parseVector(operand);
  if (cursor.is("["))
    return parseAddress(operand);
  if (cursor.is("!")) {
    Token next = cursor.peek();
    if (next.kind == Token::Identifier && next.text != "WARP_SZ") {
      cursor.advance();
      operand.kind = Operand::Negated;
      operand.elements.emplace_back().kind = Operand::Register;
      return parsePredicate("what '!' negates", operand.elements.back().reg);
    }
  }
  if (!parseSimple(operand))
    return false;
  if (operand.kind == Operand::Symbol)
    return parseOffset(operand.offset);
  if (operand.kind == Operand::Register || operand.kind == Operand::Sink)
    return parsePairOf(operand);
  return true;
}

} // namespace tessera::emu::parsing
