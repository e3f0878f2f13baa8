//===- ParseDecl.cpp - Kernels and fns --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent for declarations, one function per rule:
//
//   program := use* (kernel | fn)*
//   use     := `use` string `(` name,* `)` `;`
//   kernel  := `kernel` name (`<` ctparam,* `>`)? `(` param,* `)`
//              clause* block
//   ctparam := name `:` (`int` | `float` | `bool` | `type`)
//              (`in` `{` expr,* `}`)? (`=` expr)?
//   param   := (`in` | `out` | `inout`)? name `:` expr (`if` expr)?
//   clause  := `grid` `(` axis,* `)`
//            | (`schedule` | `numerics`) `(` entry,* `)`
//   axis    := name `in` expr
//   entry   := name (`=` (expr | `(` expr,* `)`))?
//   fn      := `fn` name `(` (name (`:` expr)?),* `)` block
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace tessera::frontend;

Parser::Parser(Lexer &lexer, Diagnostics &diagnostics, Program &program)
    : lexer(lexer), diagnostics(diagnostics), program(program) {
  advance();
}

bool Parser::Nesting::check() {
  if (parser.depth <= maxNesting)
    return true;
  if (!parser.overNested)
    parser.errorAtToken()
        << "this is nested more than " << maxNesting
        << " levels deep; name the inner parts with `let` or `fn`";
  parser.overNested = true;
  return false;
}

void Parser::advance() {
  if (at(TokenKind::LBrace))
    ++openBraces;
  else if (at(TokenKind::RBrace) && openBraces)
    --openBraces;
  token = lexer.next();
}

bool Parser::consumeIf(TokenKind kind) {
  if (!at(kind))
    return false;
  lastEnd = {token.place.line,
             static_cast<uint32_t>(token.place.column + token.spelling.size()),
             token.place.file};
  lastSpelling = token.spelling;
  advance();
  return true;
}

bool Parser::reportExpected(llvm::StringRef what) {
  return reportExpected(what, "");
}

bool Parser::reportExpected(llvm::StringRef what, llvm::StringRef hint) {
  // The lexer has reported error tokens. Errors after the nesting limit are
  // noise.
  if (!at(TokenKind::Error) && !overNested)
    errorAtToken() << "expected " << what << ", got " << describe(token)
                   << (hint.empty() ? "" : "; ") << hint;
  return false;
}

llvm::StringRef Parser::getHint() const {
  // The first token of a line begins a statement.
  if (lastSpelling.empty())
    return "";
  if (token.place.line != lastEnd.line) {
    // A comment that ends like a statement, or is one word, was meant as a
    // quotient.
    llvm::StringRef line =
        llvm::StringRef(lastSpelling.end(),
                        token.spelling.begin() - lastSpelling.end())
            .split('\n')
            .first.trim();
    bool isQuotient = line.consume_front("//") && !line.starts_with("/") &&
                      (line.ends_with(";") || !line.trim().contains(' '));
    return isQuotient && !line.empty()
               ? "`//` begins a comment; integers are divided by `/`, which "
                 "rounds down"
               : "";
  }
  return findForeignContinuation(lastSpelling, token.spelling);
}

bool Parser::expect(TokenKind kind, llvm::StringRef where) {
  if (consumeIf(kind))
    return true;
  // A missing `;` is missed where the statement ends, not where the next one
  // begins.
  if (kind == TokenKind::Semicolon && !at(TokenKind::Error) && !overNested) {
    llvm::StringRef hint = getHint();
    error(lastEnd) << "expected `;` " << where << (hint.empty() ? "" : "; ")
                   << hint;
    return false;
  }
  // An expression may precede these tokens.
  bool endsExpression = kind == TokenKind::RParen ||
                        kind == TokenKind::RBracket ||
                        kind == TokenKind::LBrace || kind == TokenKind::RBrace;
  return reportExpected((describe(kind) + " " + where).str(),
                        endsExpression ? getHint() : "");
}

bool Parser::parseName(Name &name, llvm::StringRef what) {
  if (!at(TokenKind::Identifier))
    return reportExpected(what, !token.spelling.empty() &&
                                        llvm::isAlpha(token.spelling.front())
                                    ? "it is a reserved word"
                                    : "");
  name = {token.spelling, token.place};
  return consumeIf(TokenKind::Identifier);
}

void Parser::parseProgram() {
  while (!at(TokenKind::EndOfFile) && !diagnostics.isFull()) {
    bool parsed = false;
    if (at(TokenKind::KwKernel))
      parsed = parseKernel();
    else if (at(TokenKind::KwFn))
      parsed = parseFn();
    else if (token.isWord("use"))
      parsed = parseUse();
    else if (!at(TokenKind::Error))
      reportForeignDeclaration();
    if (overNested)
      return;
    if (!parsed)
      skipToDeclaration();
  }
}

void Parser::reportForeignDeclaration() {
  llvm::StringRef hint = findForeignDeclaration(token.spelling);
  braceErrorAtToken() << "expected `kernel`, `fn` or `use`, got "
                      << describe(token)
                      << (hint.empty() ? askForName(token.spelling,
                                                    {"kernel", "fn", "use"})
                                       : ("; " + hint).str());
}

void Parser::skipToDeclaration() {
  while (!at(TokenKind::EndOfFile) && !at(TokenKind::KwKernel) &&
         !at(TokenKind::KwFn))
    advance();
}

bool Parser::parseUse() {
  errorsBefore = diagnostics.getNumErrors();
  if (!program.kernels.empty() || !program.fns.empty())
    errorAtToken() << "`use` comes before all kernels and fns";
  consumeIf(TokenKind::Identifier);
  UseDecl use;
  use.place = token.place;
  if (parseUseItems(use)) {
    program.uses.push_back(std::move(use));
    return true;
  }
  while (!at(TokenKind::EndOfFile) && !at(TokenKind::KwKernel) &&
         !at(TokenKind::KwFn) && !token.isWord("use"))
    if (consumeIf(TokenKind::Semicolon))
      break;
    else
      advance();
  return true;
}

bool Parser::parseUseItems(UseDecl &use) {
  constexpr llvm::StringLiteral kHint =
      "a fn of another file is used by `use \"file.tile\" (name);`";
  if (!at(TokenKind::String))
    return reportExpected("the path of a file in quotes", kHint);
  use.path = takeString();
  if (at(TokenKind::Semicolon))
    return reportExpected("`(` and the names of fns after the path", kHint);
  if (!expect(TokenKind::LParen, "and the names of fns after the path"))
    return false;
  if (at(TokenKind::Star))
    return reportExpected("the name of a fn",
                          "the fns that are used are listed by name, as in "
                          "`(silu, gelu)`");
  do {
    Name name;
    if (!parseName(name, "the name of a fn"))
      return false;
    use.names.push_back(name);
  } while (consumeIf(TokenKind::Comma) && !at(TokenKind::RParen));
  return expect(TokenKind::RParen, "or `,` after the name of a fn") &&
         expect(TokenKind::Semicolon, "after the names of fns");
}

std::string Parser::takeString() {
  std::string text;
  llvm::StringRef quoted = token.spelling.drop_front().drop_back();
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\')
      ++i;
    text += quoted[i];
  }
  consumeIf(TokenKind::String);
  return text;
}

bool Parser::parseKernel() {
  errorsBefore = diagnostics.getNumErrors();
  declaration = token.place;
  consumeIf(TokenKind::KwKernel);
  auto *kernel = program.create<KernelDecl>();
  kernel->file = &program;
  if (!parseName(kernel->name, "the name of the kernel") ||
      !parseCompileTimeParameters(*kernel) ||
      !parseParameters(kernel->parameters, /*isKernel=*/true) ||
      !parseClauses(*kernel) || !parseBlock(kernel->body))
    return false;
  program.kernels.push_back(kernel);
  return true;
}

bool Parser::parseFn() {
  errorsBefore = diagnostics.getNumErrors();
  declaration = token.place;
  consumeIf(TokenKind::KwFn);
  auto *fn = program.create<FnDecl>();
  inFn = true;
  bool parsed = parseName(fn->name, "the name of the fn") &&
                parseParameters(fn->parameters, /*isKernel=*/false) &&
                parseBlock(fn->body, &fn->end);
  inFn = false;
  if (!parsed)
    return false;
  program.fns.push_back(fn);
  return true;
}

bool Parser::parseCompileTimeParameters(KernelDecl &kernel) {
  if (!consumeIf(TokenKind::Less))
    return true;
  while (!at(TokenKind::Greater)) {
    CompileTimeParameter parameter;
    if (!parseName(parameter.name, "the name of a compile-time parameter"))
      return false;
    if (!at(TokenKind::Colon))
      return reportExpected(
          "`:` and a type after the name of a compile-time parameter",
          "parameters are written `B: int = 64` and `T: type = f32`");
    consumeIf(TokenKind::Colon);
    if (!parseName(parameter.type, "`int`, `float`, `bool` or `type`") ||
        !parseCandidates(parameter))
      return false;
    if (consumeIf(TokenKind::Equal)) {
      const char *begin = token.spelling.begin();
      // `>` ends the list, so a default stops short of comparisons.
      parameter.value = parseBinary(/*minPrecedence=*/4);
      if (!parameter.value)
        return false;
      parameter.valueText = llvm::StringRef(begin, lastSpelling.end() - begin);
    }
    kernel.compileTimeParameters.push_back(parameter);
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::Greater, "or `,` after a compile-time parameter");
}

bool Parser::parseCandidates(CompileTimeParameter &parameter) {
  if (!consumeIf(TokenKind::KwIn))
    return true;
  const char *begin = token.spelling.begin();
  if (!expect(TokenKind::LBrace, "before the values after `in`"))
    return false;
  do {
    parameter.candidates.push_back(parseExpr());
    if (!parameter.candidates.back())
      return false;
  } while (consumeIf(TokenKind::Comma) && !at(TokenKind::RBrace));
  if (!expect(TokenKind::RBrace, "or `,` after a value"))
    return false;
  parameter.candidatesText = llvm::StringRef(begin, lastSpelling.end() - begin);
  return true;
}

bool Parser::parseParameters(std::vector<Parameter> &parameters,
                             bool isKernel) {
  if (at(TokenKind::LBracket))
    return reportExpected("`(` before the parameters",
                          isKernel ? "compile-time parameters are in `<…>`, as "
                                     "in `kernel k<B: int = 32>(…)`"
                                   : "a fn has only parameters in `(…)`");
  if (!expect(TokenKind::LParen, "before the parameters"))
    return false;
  while (!at(TokenKind::RParen)) {
    Parameter parameter;
    if (!parseParameter(parameter, isKernel))
      return false;
    parameters.push_back(parameter);
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen, "or `,` after a parameter");
}

bool Parser::parseParameter(Parameter &parameter, bool isKernel) {
  Token first = token;
  bool explicitIn = isKernel && consumeIf(TokenKind::KwIn);
  if (first.kind == TokenKind::KwIn && !at(TokenKind::Identifier)) {
    error(first.place) << "`in` is a word of the language and no name of a "
                          "parameter; choose another one, such as `x`";
    return false;
  }
  if (!parseName(parameter.name, "the name of a parameter"))
    return false;
  // `out` and `inout` are names unless a name follows.
  if (isKernel && !explicitIn && at(TokenKind::Identifier) &&
      (parameter.name.text == "out" || parameter.name.text == "inout")) {
    parameter.access = parameter.name.text == "out" ? Parameter::Access::Out
                                                    : Parameter::Access::InOut;
    parseName(parameter.name, "the name of a parameter");
  }
  if (!isKernel && at(TokenKind::Equal))
    return reportExpected("`)` or `,` after a parameter",
                          "parameters of a fn have no defaults");
  if (!isKernel && !at(TokenKind::Colon))
    return true;
  // `const x: f32[N]`, `float *x`, `x, y`
  if (!at(TokenKind::Colon))
    return reportExpected(
        "`:` and a type after the name of a parameter",
        "a parameter is written `x: f32[N]`, and a tensor is read only unless "
        "it is `out` or `inout`");
  consumeIf(TokenKind::Colon);
  constexpr llvm::StringLiteral kPointers =
      "there are no pointers; a tensor has its sizes in brackets, as in `x: "
      "f32[M, N]`";
  if (at(TokenKind::Star))
    return reportExpected("a type after `:`", kPointers);
  if (at(TokenKind::Amp))
    return reportExpected("a type after `:`",
                          "there are no references; a tensor is read only "
                          "unless it is `out` or `inout`, as in `inout x: "
                          "f32[N]`");
  parameter.type = parsePostfix();
  // `y: out f32[N]`
  auto *word = llvm::dyn_cast_if_present<NameExpr>(parameter.type);
  if (word && at(TokenKind::Identifier) &&
      (word->name == "out" || word->name == "inout")) {
    errorAtToken() << "`" << word->name << "` comes before the name of a "
                   << "parameter, as in `" << word->name << " "
                   << parameter.name.text << ": f32[N]`";
    return false;
  }
  if (parameter.type && at(TokenKind::Star))
    return reportExpected("`)` or `,` after a parameter", kPointers);
  // `x: Tensor<f32, N>`
  if (parameter.type && at(TokenKind::Less))
    return reportExpected("`)` or `,` after a parameter",
                          "a tensor is written as its type and its sizes in "
                          "brackets, as in `x: f32[M, N]`");
  if (parameter.type && at(TokenKind::Equal))
    return reportExpected("`)` or `,` after a parameter",
                          "only compile-time parameters have defaults, as in "
                          "`kernel f<EPS: float = 1e-5>(…)`");
  if (!parameter.type || !at(TokenKind::KwIf))
    return parameter.type;
  if (!isKernel) {
    errorAtToken() << "a parameter of a fn is not optional; choose with `if` "
                      "inside of the fn";
    return false;
  }
  consumeIf(TokenKind::KwIf);
  const char *begin = token.spelling.begin();
  parameter.condition = parseExpr();
  if (!parameter.condition)
    return false;
  parameter.conditionText = llvm::StringRef(begin, lastSpelling.end() - begin);
  return true;
}

bool Parser::parseClauses(KernelDecl &kernel) {
  bool seenGrid = false, seenSchedule = false, seenNumerics = false;
  auto once = [&](bool &seen) {
    if (seen)
      errorAtToken() << "the kernel `" << kernel.name.text
                     << "` already has a clause `" << token.spelling << "`";
    seen = true;
  };
  if (at(TokenKind::Comma))
    return reportExpected("`{` before the statements",
                          "no `,` precedes `grid` and `schedule`");
  while (at(TokenKind::Identifier)) {
    if (token.isWord("grid")) {
      once(seenGrid);
      if (!parseGrid(kernel))
        return false;
    } else if (token.isWord("schedule")) {
      once(seenSchedule);
      kernel.schedulePlace = token.place;
      if (!parseClauseEntries(kernel.schedule, "schedule"))
        return false;
    } else if (token.isWord("numerics")) {
      once(seenNumerics);
      if (!parseClauseEntries(kernel.numerics, "numerics"))
        return false;
    } else {
      return reportExpected(
          "`grid`, `schedule`, `numerics` or the body of the kernel");
    }
  }
  return true;
}

bool Parser::parseGrid(KernelDecl &kernel) {
  consumeIf(TokenKind::Identifier);
  if (!expect(TokenKind::LParen, "after `grid`"))
    return false;
  while (!at(TokenKind::RParen)) {
    Axis axis;
    if (!parseName(axis.name, "the name of a grid axis"))
      return false;
    if (!at(TokenKind::KwIn))
      return reportExpected(
          "`in` after the name of a grid axis",
          at(TokenKind::Equal)
              ? "an axis is written `n in tiles(N, 64)`, and a hint such as "
                "the number of warps `schedule (warpgroups = 1)`"
              : "an axis is written `n in tiles(N, 64)` or `n in N`");
    consumeIf(TokenKind::KwIn);
    axis.domain = parseExpr();
    if (!axis.domain)
      return false;
    kernel.axes.push_back(axis);
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen, "or `,` after a grid axis");
}

bool Parser::parseClauseEntries(std::vector<ClauseEntry> &entries,
                                llvm::StringRef clause) {
  consumeIf(TokenKind::Identifier);
  if (!expect(TokenKind::LParen, ("after `" + clause + "`").str()))
    return false;
  while (!at(TokenKind::RParen)) {
    ClauseEntry entry;
    if (!parseClauseEntry(entry, clause))
      return false;
    entries.push_back(std::move(entry));
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen,
                ("or `,` after an entry of `" + clause + "`").str());
}

bool Parser::parseClauseEntry(ClauseEntry &entry, llvm::StringRef clause) {
  if (!parseName(entry.name,
                 ("the name of an entry of `" + clause + "`").str()))
    return false;
  if (!consumeIf(TokenKind::Equal))
    return true;
  if (!consumeIf(TokenKind::LParen)) {
    entry.values.push_back(parseExpr());
    return entry.values.back();
  }
  entry.isTuple = true;
  while (!at(TokenKind::RParen)) {
    entry.values.push_back(parseExpr());
    if (!entry.values.back())
      return false;
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen, "or `,` after a value");
}
