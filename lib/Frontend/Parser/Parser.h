//===- Parser.h - From tokens to the syntax tree ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent with one token of look-ahead. A function that returns a
// pointer returns null after an error that it has reported; one that returns a
// bool returns false. The nearest list of statements or declarations then skips
// to a place where reading can go on, so that one file yields several errors.
//
// Nesting is bounded: the parser's own recursion by `maxNesting`, and the
// height of an expression (a long chain `a + a + …` does not recurse here but
// would in whoever walks it) by `maxHeight`.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PARSER_H
#define TESSERA_FRONTEND_PARSER_H

#include "AST.h"
#include "Lexer.h"

namespace tessera::frontend {

class Parser {
public:
  Parser(Lexer &lexer, Diagnostics &diagnostics, Program &program);

  /// Reads the whole source into the program.
  void parseProgram();

private:
  static constexpr unsigned maxNesting = 64;
  static constexpr unsigned maxHeight = 200;

  /// Counts one level of nesting while it lives.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    /// Whether this level is allowed; reports an error if not.
    bool check();

  private:
    Parser &parser;
  };

  // Tokens.
  void advance();
  bool at(TokenKind kind) const { return token.is(kind); }
  bool consumeIf(TokenKind kind);
  /// Consumes `kind`, or reports that it was expected `where` ("after the
  /// condition").
  bool expect(TokenKind kind, llvm::StringRef where);
  /// Reads a name that is being declared or asked for: "the name of the
  /// kernel".
  bool parseName(Name &name, llvm::StringRef what);
  mlir::InFlightDiagnostic errorAtToken() {
    return diagnostics.error(token.place);
  }
  /// "expected X, got Y" at the current token; returns false. Silent on an
  /// error token, which the lexer has reported.
  bool reportExpected(llvm::StringRef what);
  /// The same with a clause that says what to write.
  bool reportExpected(llvm::StringRef what, llvm::StringRef hint);
  /// What to write where the current token cannot follow the last one, if
  /// another language would have it; else empty.
  llvm::StringRef getHint() const;
  /// Reports a statement of another language that begins with `word`; false if
  /// it is none.
  bool reportForeignStatement(const Expr *first);

  // Declarations.
  bool parseKernel();
  bool parseFn();
  void skipToDeclaration();
  bool parseCompileTimeParameters(KernelDecl &kernel);
  bool parseParameters(std::vector<Parameter> &parameters, bool isKernel);
  bool parseParameter(Parameter &parameter, bool isKernel);
  bool parseClauses(KernelDecl &kernel);
  bool parseGrid(KernelDecl &kernel);
  bool parseClauseEntries(std::vector<ClauseEntry> &entries,
                          llvm::StringRef clause);
  bool parseClauseEntry(ClauseEntry &entry, llvm::StringRef clause);

  // Statements.
  /// Reads `{ … }`. Recovers inside; false only if the braces are not there.
  bool parseBlock(StmtList &body, SourcePlace *end = nullptr);
  Stmt *parseStatement();
  Stmt *parseDeclareStatement();
  Stmt *parseForStatement();
  Stmt *parseIfStatement();
  Stmt *parseAssertStatement();
  Stmt *parseReturnStatement();
  Stmt *parseExpressionStatement();
  /// Skips the rest of a statement of the block that `braces` open braces hold.
  void skipStatement(unsigned braces);

  // Expressions, by falling precedence of what they may contain.
  Expr *parseExpr();
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseCast();
  Expr *parseUnary();
  Expr *parsePostfix();
  Expr *parsePrimary();
  Expr *parseNumber();
  Expr *parseIf();
  bool parseValueBlock(ValueBlock &block);
  bool parseIndexItems(IndexExpr &index);
  bool parseArguments(CallExpr &call);
  /// Notes that `expr` stands above `child`; false, after an error, if too
  /// high.
  bool addChild(Expr *expr, const Expr *child);

  Lexer &lexer;
  Diagnostics &diagnostics;
  Program &program;
  Token token;
  /// The place just after the last token that was consumed.
  SourcePlace lastEnd;
  /// Its text.
  llvm::StringRef lastSpelling;
  unsigned depth = 0;
  /// The `{` that were read and not closed yet.
  unsigned openBraces = 0;
  /// Whether the nesting limit was reported; what follows it is noise.
  bool overNested = false;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PARSER_H
