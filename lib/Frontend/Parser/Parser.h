//===- Parser.h - From tokens to the syntax tree ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent with one token of look-ahead. After an error that is
// reported already, a function returns null or false. The nearest list of
// statements or declarations then skips to its next element (panic-mode
// recovery), so one file yields several errors.
//
// `maxNesting` bounds the recursion of the parser. `maxHeight` bounds the
// height of an expression: the parser reads a long chain `a + a + …` in a loop,
// but later walks over the tree recurse.
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
  static constexpr llvm::StringLiteral equality = "equality is written `==`";

  /// Counts one level of nesting during its lifetime.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { --parser.depth; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    /// Checks whether this level is allowed; reports an error if not.
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
  /// Reads a name; `what` describes it in errors: "the name of the kernel".
  bool parseName(Name &name, llvm::StringRef what);
  /// Begins a syntax error.
  mlir::InFlightDiagnostic error(SourcePlace place) {
    return diagnostics.syntaxError(place, /*isConsequence=*/false);
  }
  mlir::InFlightDiagnostic errorAtToken() {
    bool isAtEnd = at(TokenKind::EndOfFile) && !lastSpelling.empty();
    return error(isAtEnd ? lastEnd : token.place);
  }
  /// Begins an error about unbalanced braces at the current token. It is a
  /// consequence of earlier errors since the declaration began: recovery from
  /// them may have skipped a brace.
  mlir::InFlightDiagnostic braceErrorAtToken() {
    // The end of the file may be after blank lines.
    bool isAtEnd = at(TokenKind::EndOfFile) && !lastSpelling.empty();
    return diagnostics.syntaxError(isAtEnd ? lastEnd : token.place,
                                   diagnostics.getNumErrors() != errorsBefore);
  }
  /// "expected X, got Y" at the current token; returns false. Silent on an
  /// error token, which the lexer has reported.
  bool reportExpected(llvm::StringRef what);
  /// Reports "expected X, got Y" with a hint that shows the correct source.
  bool reportExpected(llvm::StringRef what, llvm::StringRef hint);
  /// Returns the equivalent of foreign syntax if the current token cannot
  /// follow the last one; empty if no other language allows it either.
  llvm::StringRef getHint() const;
  /// Reports a statement of another language. Returns false if `first` does not
  /// begin one.
  bool reportForeignStatement(const Expr *first);

  /// Consumes a string and returns its text.
  std::string takeString();

  // Declarations.
  bool parseUse();
  /// Reads the path and the names of a `use`.
  bool parseUseItems(UseDecl &use);
  bool parseKernel();
  bool parseFn();
  /// Reports a token between declarations.
  void reportForeignDeclaration();
  void skipToDeclaration();
  bool parseCompileTimeParameters(KernelDecl &kernel);
  bool parseCandidates(CompileTimeParameter &parameter);
  bool parseParameters(std::vector<Parameter> &parameters, bool isKernel);
  bool parseParameter(Parameter &parameter, bool isKernel);
  bool parseClauses(KernelDecl &kernel);
  bool parseGrid(KernelDecl &kernel);
  bool parseClauseEntries(std::vector<ClauseEntry> &entries,
                          llvm::StringRef clause);
  bool parseClauseEntry(ClauseEntry &entry, llvm::StringRef clause);

  // Statements.
  /// Reads `{ … }` and recovers inside. Returns false if a brace is missing.
  bool parseBlock(StmtList &body, SourcePlace *end = nullptr);
  Stmt *parseStatement();
  Stmt *parseDeclareStatement();
  Stmt *parseForStatement();
  Stmt *parseWhileStatement();
  /// Reads `while`, a condition and the body of a loop.
  Stmt *parseCondition(ForStmt *loop);
  /// Reads the body of a loop, which runs while `condition` holds, if any.
  Stmt *parseLoopBody(ForStmt *loop, IfStmt *condition = nullptr);
  /// Replaces `break` in the body of a loop (Breaks.cpp).
  void lowerBreaks(ForStmt &loop);
  /// Replaces `break` in a list of statements. Returns whether there is one.
  bool lowerBreaks(StmtList &statements, llvm::StringRef runs);
  Stmt *parseIfStatement();
  Stmt *parseAssertStatement();
  Stmt *parseCheckStatement();
  Stmt *parseReturnStatement();
  Stmt *parseExpressionStatement();
  /// Reports a statement that is only a value; `name` is its text if it is a
  /// name.
  void reportUnused(SourcePlace place, llvm::StringRef name);
  /// Returns the hint for a fn that ends with a value; empty elsewhere.
  llvm::StringRef getReturnHint() const;
  /// Checks whether a fn begins inside of a declaration: it is indented. Other
  /// fns follow a block whose `}` is missing.
  bool isNestedFn() const;
  /// Reports a fn inside of a declaration, and parses it for the names.
  bool parseNestedFn();
  /// Reports a `grid (…)` at the place of a statement, and skips it.
  void skipNestedGrid();
  /// Skips the rest of a statement in a block inside of `braces` open braces.
  void skipStatement(unsigned braces);

  // Expressions, from loose to tight binding.
  Expr *parseExpr();
  Expr *parseBinary(unsigned minPrecedence);
  Expr *parseCast();
  Expr *parseUnary();
  Expr *parsePostfix();
  Expr *parsePrimary();
  Expr *parseNumber();
  /// Parses a string, which some functions take.
  Expr *parseText();
  /// Reports a conversion of C, `(float)x`: `type` was in parentheses, and an
  /// operand follows. Returns whether it is one.
  bool reportForeignCast(const Expr &type);
  Expr *parseIf();
  bool parseValueBlock(ValueBlock &block);
  bool parseIndexItems(IndexExpr &index);
  bool parseIndexItem(IndexExpr &index);
  /// Parses the bound of a part after its `:`, if there is one.
  bool parseHighBound(IndexExpr &index, IndexItem &item);
  bool parseArguments(CallExpr &call);
  /// Records that `child` is a child of `expr`. Reports an error and returns
  /// false if `expr` is too high.
  bool addChild(Expr *expr, const Expr *child);

  Lexer &lexer;
  Diagnostics &diagnostics;
  Program &program;
  Token token;
  /// The place after the last consumed token, and its text.
  SourcePlace lastEnd;
  llvm::StringRef lastSpelling;
  unsigned depth = 0;
  /// The number of errors before the current declaration.
  unsigned errorsBefore = 0;
  /// The keyword of the current declaration.
  SourcePlace declaration;
  /// The number of loops so far.
  unsigned loops = 0;
  /// The number of open `{`.
  unsigned openBraces = 0;
  /// Whether the current declaration is a fn.
  bool inFn = false;
  /// The positions of a list `(e, e, …)`, at the first parenthesis of an index;
  /// null elsewhere.
  llvm::SmallVectorImpl<Expr *> *paired = nullptr;
  /// Whether the nesting limit was reported; later errors are noise.
  bool overNested = false;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PARSER_H
