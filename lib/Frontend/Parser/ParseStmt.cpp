//===- ParseStmt.cpp - Statements -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent for statements, with panic-mode recovery:
//
//   block := `{` stmt* `}`
//   stmt  := (`let` | `var`) name (`,` name)* `=` expr `;`
//          | expr (`=` | `+=` | `-=` | `*=` | `/=`) expr `;`
//          | `for` name `in` expr (`while` expr)? block
//          | `while` expr block
//          | `if` expr block (`else` (if | block))?
//          | `assert` expr (`,` string)? `;`
//          | `check` expr `,` string `;`
//          | `return` (expr (`,` expr)*)? `;`
//          | expr `;`
//
// After an error the parser skips the rest of the statement: its `;`, or
// everything before the `}` that ends its block.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "tessera/Frontend/Vocabulary.h"

using namespace tessera::frontend;
using llvm::StringRef;

bool Parser::parseBlock(StmtList &body, SourcePlace *end) {
  bool beginsStatement =
      (at(TokenKind::Identifier) || at(TokenKind::KwReturn)) &&
      getHint().empty();
  if (at(TokenKind::Colon) || beginsStatement)
    return reportExpected("`{` before the statements",
                          "a block is written in braces");
  if (at(TokenKind::DotDot))
    return reportExpected("`{` before the statements",
                          "integers are walked by `range(low, high)`");
  if (at(TokenKind::Equal))
    return reportExpected("`{` before the statements", equality);
  if (!expect(TokenKind::LBrace, "before the statements"))
    return false;
  SourcePlace begin = lastEnd;
  unsigned braces = openBraces;
  while (!at(TokenKind::RBrace)) {
    if (isNestedFn()) {
      if (!parseNestedFn())
        return false;
      continue;
    }
    if (token.isWord("grid") && lexer.isBeforeAxis()) {
      skipNestedGrid();
      continue;
    }
    // A declaration inside a block means that a `}` is missing.
    if (at(TokenKind::EndOfFile) || at(TokenKind::KwKernel) ||
        at(TokenKind::KwFn)) {
      if (overNested)
        return false;
      auto diagnostic = braceErrorAtToken();
      diagnostic << "expected `}`, got " << describe(token);
      diagnostic.attachNote(
          diagnostics.getLoc({begin.line, begin.column - 1, begin.file}))
          << "to close this `{`";
      return false;
    }
    if (Stmt *stmt = parseStatement())
      body.push_back(stmt);
    else
      skipStatement(braces);
    if (overNested || diagnostics.isFull())
      return false;
  }
  if (end)
    *end = token.place;
  return consumeIf(TokenKind::RBrace);
}

bool Parser::isNestedFn() const {
  return at(TokenKind::KwFn) && token.place.line != declaration.line &&
         token.place.column > declaration.column;
}

bool Parser::parseNestedFn() {
  errorAtToken()
      << "a fn is written outside of kernels and other fns, and takes "
         "the values that it uses as arguments";
  unsigned errors = errorsBefore;
  SourcePlace outer = declaration;
  bool wasInFn = inFn, parsed = parseFn();
  errorsBefore = errors;
  declaration = outer;
  inFn = wasInFn;
  return parsed;
}

void Parser::skipNestedGrid() {
  errorAtToken() << "`grid (…)` is no statement; it is written between the "
                    "parameters of the kernel and `{`";
  // The axes end with their `)`, or before the end of a statement. Clauses may
  // follow them.
  do {
    consumeIf(TokenKind::Identifier);
    unsigned depth = 0;
    do {
      depth += at(TokenKind::LParen);
      depth -= at(TokenKind::RParen);
      advance();
    } while (depth != 0 && !at(TokenKind::Semicolon) &&
             !at(TokenKind::LBrace) && !at(TokenKind::RBrace) &&
             !at(TokenKind::EndOfFile));
  } while (token.isWord("schedule") || token.isWord("numerics"));
  // The statements of a block after the axes are skipped with it.
  if (at(TokenKind::LBrace))
    skipStatement(openBraces);
  else
    consumeIf(TokenKind::Semicolon);
}

void Parser::skipStatement(unsigned braces) {
  while (!at(TokenKind::EndOfFile) && !at(TokenKind::KwKernel) &&
         !at(TokenKind::KwFn)) {
    bool isInside = openBraces > braces;
    switch (token.kind) {
    case TokenKind::RBrace:
      if (!isInside)
        return;
      advance();
      // The end of its block ends a statement, unless `else` follows.
      if (openBraces <= braces && !at(TokenKind::KwElse)) {
        consumeIf(TokenKind::Semicolon);
        return;
      }
      continue;
    case TokenKind::Semicolon:
      advance();
      if (!isInside)
        return;
      continue;
    // These tokens begin a new statement.
    case TokenKind::KwLet:
    case TokenKind::KwVar:
    case TokenKind::KwFor:
    case TokenKind::KwAssert:
    case TokenKind::KwReturn:
      if (!isInside)
        return;
      break;
    default:
      break;
    }
    advance();
  }
}

Stmt *Parser::parseStatement() {
  Nesting nesting(*this);
  if (!nesting.check())
    return nullptr;
  Token first = token;
  Stmt *stmt = nullptr;
  switch (token.kind) {
  case TokenKind::KwLet:
  case TokenKind::KwVar:
    stmt = parseDeclareStatement();
    break;
  case TokenKind::KwFor:
    stmt = parseForStatement();
    break;
  case TokenKind::KwIf:
    stmt = parseIfStatement();
    break;
  case TokenKind::KwAssert:
    stmt = parseAssertStatement();
    break;
  case TokenKind::KwReturn:
    stmt = parseReturnStatement();
    break;
  case TokenKind::Semicolon:
    errorAtToken() << "expected a statement, got `;`; one `;` ends a "
                      "statement, and a comment begins with `//`";
    break;
  case TokenKind::KwElse:
    errorAtToken() << "`else` without an `if` before it";
    advance();
    break;
  default:
    if (token.isWord("check") && lexer.isBeforeOperand())
      stmt = parseCheckStatement();
    else if (token.isWord("while") && lexer.isBeforeOperand())
      stmt = parseWhileStatement();
    else
      stmt = parseExpressionStatement();
    break;
  }
  // Recovery must move on; keywords of statements are where it stops.
  if (!stmt && token.spelling.data() == first.spelling.data() &&
      !at(TokenKind::RBrace) && !at(TokenKind::Semicolon) &&
      !at(TokenKind::EndOfFile))
    advance();
  return stmt;
}

Stmt *Parser::parseDeclareStatement() {
  auto *stmt = program.create<DeclareStmt>(token.place);
  stmt->isVar = at(TokenKind::KwVar);
  consumeIf(token.kind);
  StringRef what = stmt->isVar ? "a name after `var`" : "a name after `let`";
  if (at(TokenKind::LParen)) {
    reportExpected(what,
                   "several values of a call are named without parentheses: "
                   "`let a, b = f(x);`");
    return nullptr;
  }
  do {
    if (at(TokenKind::Underscore)) {
      reportExpected(what, "the name of a value that is not used begins with "
                           "`_`, such as `_rest`");
      return nullptr;
    }
    if (!parseName(stmt->names.emplace_back(), what))
      return nullptr;
  } while (consumeIf(TokenKind::Comma));
  if (at(TokenKind::Colon)) {
    errorAtToken()
        << "`" << stmt->names.back().text
        << "` has the type of its value; write `= value`, and `as` in the "
           "value to convert it";
    return nullptr;
  }
  if (stmt->names.back().text == "mut") {
    reportExpected("`=` and a value after the name",
                   "`var x = e;` names a value that changes");
    return nullptr;
  }
  if (at(TokenKind::Semicolon)) {
    reportExpected("`=` and a value after the name",
                   "a value that changes begins with one, as in `var x = "
                   "zeros(f32[64]);`");
    return nullptr;
  }
  if (!expect(TokenKind::Equal, "and a value after the name"))
    return nullptr;
  stmt->value = parseExpr();
  if (!stmt->value)
    return nullptr;
  if (at(TokenKind::Comma)) {
    reportExpected("`;` after the value",
                   "each value has a statement of its own, or is one of "
                   "several values of a call");
    return nullptr;
  }
  return expect(TokenKind::Semicolon, "after the value") ? stmt : nullptr;
}

Stmt *Parser::parseForStatement() {
  auto *stmt = program.create<ForStmt>(token.place);
  consumeIf(TokenKind::KwFor);
  if (at(TokenKind::LParen)) {
    errorAtToken() << "a loop is written `for k in tiles(K, BK) { … }` or "
                      "`for i in range(lo, hi) { … }`";
    // The parentheses of a C loop would be parsed as statements.
    while (!at(TokenKind::EndOfFile) && !at(TokenKind::LBrace) &&
           !at(TokenKind::RBrace))
      advance();
    return nullptr;
  }
  if (!parseName(stmt->name, "a name after `for`") ||
      !expect(TokenKind::KwIn, "after the name of the loop"))
    return nullptr;
  stmt->domain = parseExpr();
  if (!stmt->domain)
    return nullptr;
  return token.isWord("while") ? parseCondition(stmt) : parseLoopBody(stmt);
}

Stmt *Parser::parseWhileStatement() {
  return parseCondition(program.create<ForStmt>(token.place));
}

Stmt *Parser::parseCondition(ForStmt *loop) {
  consumeIf(TokenKind::Identifier);
  auto *branch = program.create<IfStmt>(token.place);
  branch->isWhile = true;
  branch->condition = parseExpr();
  return branch->condition ? parseLoopBody(loop, branch) : nullptr;
}

Stmt *Parser::parseLoopBody(ForStmt *loop, IfStmt *condition) {
  StmtList &body = condition ? condition->thenBody : loop->body;
  if (!parseBlock(body))
    return nullptr;
  if (condition) {
    condition->elseBody = {program.create<BreakStmt>(condition->place)};
    loop->body = {condition};
  }
  lowerBreaks(*loop);
  return loop;
}

Stmt *Parser::parseIfStatement() {
  auto *stmt = program.create<IfStmt>(token.place);
  consumeIf(TokenKind::KwIf);
  stmt->condition = parseExpr();
  if (!stmt->condition || !parseBlock(stmt->thenBody))
    return nullptr;
  if (!consumeIf(TokenKind::KwElse))
    return stmt;
  if (!at(TokenKind::KwIf))
    return parseBlock(stmt->elseBody) ? stmt : nullptr;
  Nesting nesting(*this);
  if (!nesting.check())
    return nullptr;
  Stmt *elseIf = parseIfStatement();
  if (!elseIf)
    return nullptr;
  stmt->elseBody.push_back(elseIf);
  return stmt;
}

Stmt *Parser::parseAssertStatement() {
  auto *stmt = program.create<AssertStmt>(token.place);
  consumeIf(TokenKind::KwAssert);
  stmt->condition = parseExpr();
  if (!stmt->condition)
    return nullptr;
  if (consumeIf(TokenKind::Comma)) {
    if (!at(TokenKind::String)) {
      reportExpected("a message in quotes");
      return nullptr;
    }
    stmt->message = takeString();
  }
  return expect(TokenKind::Semicolon, "after the assertion") ? stmt : nullptr;
}

Stmt *Parser::parseCheckStatement() {
  auto *stmt = program.create<CheckStmt>(token.place);
  consumeIf(TokenKind::Identifier);
  stmt->condition = parseExpr();
  if (!stmt->condition)
    return nullptr;
  if (!consumeIf(TokenKind::Comma) || !at(TokenKind::String)) {
    reportExpected("`,` and a message in quotes",
                   "a check is written `check c, \"message\";`");
    return nullptr;
  }
  stmt->message = takeString();
  return expect(TokenKind::Semicolon, "after the message") ? stmt : nullptr;
}

Stmt *Parser::parseReturnStatement() {
  auto *stmt = program.create<ReturnStmt>(token.place);
  consumeIf(TokenKind::KwReturn);
  if (consumeIf(TokenKind::Semicolon))
    return stmt;
  do {
    Expr *value = parseExpr();
    if (!value)
      return nullptr;
    stmt->values.push_back(value);
  } while (consumeIf(TokenKind::Comma));
  return expect(TokenKind::Semicolon, "after the value") ? stmt : nullptr;
}

/// The operator of the assignment that `kind` is; Equal for `=`, Error if it is
/// none.
static TokenKind getAssignmentOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::Equal:
    return TokenKind::Equal;
  case TokenKind::PlusEqual:
    return TokenKind::Plus;
  case TokenKind::MinusEqual:
    return TokenKind::Minus;
  case TokenKind::StarEqual:
    return TokenKind::Star;
  case TokenKind::SlashEqual:
    return TokenKind::Slash;
  default:
    return TokenKind::Error;
  }
}

bool Parser::reportForeignStatement(const Expr *first) {
  auto *name = llvm::dyn_cast<NameExpr>(first);
  auto *call = llvm::dyn_cast<CallExpr>(first);
  if (!name && (!call || at(TokenKind::Semicolon)))
    return false;
  llvm::StringRef word = name ? name->name : call->callee.text;
  llvm::StringRef hint = findForeignStatement(word);
  if (!hint.empty()) {
    error(first->place) << "there is no `" << word << "` statement; " << hint;
    return true;
  }
  // `int x = 3;`
  if (!name || !at(TokenKind::Identifier))
    return false;
  hint = getHint();
  return !reportExpected("`=` or `;`", hint.empty()
                                           ? "`let x = e;` names a value, and "
                                             "`var x = e;` one that changes"
                                           : hint);
}

void Parser::reportUnused(SourcePlace place, StringRef name) {
  if (isBuiltinFunction(name))
    error(place) << "a function is called: `" << name
                 << (name == "barrier" ? "();`" : "(…);`");
  else
    error(place) << "this value is not used; `let name = …;` names it";
}

StringRef Parser::getReturnHint() const {
  return inFn && at(TokenKind::RBrace)
             ? "the value of a fn is that of its last statement, `return e;`"
             : "";
}

Stmt *Parser::parseExpressionStatement() {
  SourcePlace place = token.place;
  Expr *expr = parseExpr();
  if (!expr)
    return nullptr;
  TokenKind op = getAssignmentOperator(token.kind);
  auto *word = llvm::dyn_cast<NameExpr>(expr);
  if (word && word->name == "break" && consumeIf(TokenKind::Semicolon))
    return program.create<BreakStmt>(place);
  if (op == TokenKind::Error) {
    if (reportForeignStatement(expr))
      return nullptr;
    if (!llvm::isa<CallExpr>(expr)) {
      if (at(TokenKind::Semicolon))
        reportUnused(place, word ? word->name : "");
      else
        reportExpected("`=` or `;`",
                       at(TokenKind::Comma)
                           ? "an assignment has one target; `let a, b = "
                             "f(x);` names several values of a call"
                           : getReturnHint());
      return nullptr;
    }
    if (at(TokenKind::RBrace) && inFn) {
      reportExpected("`;` after the call", getReturnHint());
      return nullptr;
    }
    auto *stmt = program.create<CallStmt>(place);
    stmt->call = expr;
    return expect(TokenKind::Semicolon, "after the call") ? stmt : nullptr;
  }
  auto *stmt = program.create<AssignStmt>(token.place);
  stmt->target = expr;
  stmt->op = op;
  consumeIf(token.kind);
  stmt->value = parseExpr();
  if (!stmt->value)
    return nullptr;
  if (at(TokenKind::Comma)) {
    reportExpected("`;` after the value", "an assignment has one value");
    return nullptr;
  }
  return expect(TokenKind::Semicolon, "after the value") ? stmt : nullptr;
}
