//===- Body.cpp - Blocks, labels and directives of functions --------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of the body of a function: statements, blocks with
// scopes, labels and directives. The parser counts nested blocks instead of
// recursing into them, up to a limit.
//
//===----------------------------------------------------------------------===//

#include "Function.h"

#include "DebugInformation.h"
#include "Literals.h"
#include "Variables.h"

namespace tessera::emu::parsing {

static constexpr unsigned kMaxNesting = 256;
static constexpr uint64_t kMaxRegisterRange = 1u << 20;

/// Parses `.reg .b32 %r<8>, a;`
bool FunctionParser::parseRegisters() {
  if (cursor.isDotWord(".v2") || cursor.isDotWord(".v4"))
    return cursor.error(cursor.get(), "vector registers are not supported");
  Type type = Type::Pred;
  if (!parseFundamentalType(cursor, type))
    return false;
  do {
    Token name;
    if (!cursor.expectIdentifier(name, "the name of a register"))
      return false;
    uint64_t count = 0;
    if (!cursor.consume("<")) {
      if (!names.declareRegister(name, type))
        return false;
      continue;
    }
    if (!parseCount(cursor, "the number of registers", 0, kMaxRegisterRange,
                    count) ||
        !cursor.expect(">", "'>' after the number of registers") ||
        !names.declareRegisters(name, type, count))
      return false;
  } while (cursor.consume(","));
  return cursor.expect(";", "';' after registers");
}

/// Parses variables of a body. Global and constant variables live as long as
/// the module.
bool FunctionParser::parseLocals(const Token &directive, Variable::Space space,
                                 bool isExtern) {
  bool isStatic = space == Variable::Global || space == Variable::Const;
  if (isExtern && space != Variable::Shared)
    return cursor.error(directive, "'.extern' in a function is only supported "
                                   "of shared memory");
  return parseVariables(cursor, space, isExtern, [&](Declaration declaration) {
    auto &[name, variable, hasAddresses] = declaration;
    if (!names.declareVariable(name, hasAddresses, variable.name))
      return false;
    if (!isStatic)
      kernel->variables.push_back(std::move(variable));
    else
      module.variables.push_back(std::move(variable));
    return true;
  });
}

bool FunctionParser::parseDirective() {
  Token directive = cursor.take();
  if (directive.text == ".reg")
    return parseRegisters();
  if (directive.text == ".loc")
    return parseLoc(cursor, module, source);
  if (directive.text == ".pragma")
    return skipPragma(cursor);
  bool isExtern = directive.text == ".extern";
  Token spaceWord = isExtern ? cursor.take() : directive;
  if (std::optional<Variable::Space> space = parseSpace(spaceWord.text))
    return parseLocals(directive, *space, isExtern);
  return cursor.error(spaceWord, "unknown directive '" + spaceWord.text + "'");
}

/// Parses the rest after "name:".
bool FunctionParser::parseLabel(const Token &name) {
  if (cursor.consumeDotWord(".branchtargets"))
    return labels.parseTable(name);
  // Skip prototypes of calls through pointers, which are errors if they are
  // used.
  if (cursor.isDotWord(".callprototype") || cursor.isDotWord(".calltargets")) {
    while (!cursor.is(";") && !cursor.is("}") && !cursor.isEnd())
      cursor.advance();
    return cursor.expect(";", "';' after a directive");
  }
  return labels.define(name);
}

bool FunctionParser::parseStatement() {
  if (cursor.isDotWord())
    return parseDirective();
  std::optional<Guard> guard;
  bool hasGuard = cursor.is("@");
  if (hasGuard && !parseGuard(guard))
    return false;
  Token name;
  if (!cursor.expectIdentifier(name, "an instruction"))
    return false;
  if (!hasGuard && cursor.consume(":"))
    return parseLabel(name);
  return parseInstruction(name, guard);
}

/// Parses a body after its opening brace.
bool FunctionParser::parseBody() {
  for (unsigned depth = 1; depth > 0;) {
    if (cursor.isEnd())
      return cursor.errorExpected("'}' at the end of '" + kernel->name + "'");
    if (cursor.is("{")) {
      if (depth == kMaxNesting)
        return cursor.error(cursor.get(), "more than " +
                                              llvm::Twine(kMaxNesting) +
                                              " blocks inside of each other");
      cursor.advance();
      ++depth;
      names.enterScope();
      labels.enterScope();
    } else if (cursor.consume("}")) {
      --depth;
      names.leaveScope();
      if (!labels.leaveScope())
        return false;
    } else if (!parseStatement()) {
      return false;
    }
  }
  labels.finish();
  return true;
}

} // namespace tessera::emu::parsing
