//===- TreeWalk.h - Recursion over the syntax tree --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generators of expressions, statements and calls are mutually recursive.
// They recurse through this interface, so that none of them knows the others.
// BodyGenerator implements the interface.
//
// The functions of this class generate an expression and check its kind: an
// operand, an index, a type, or a value known at compile time.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_TREEWALK_H
#define TESSERA_FRONTEND_TREEWALK_H

#include "KernelContext.h"

namespace tessera::frontend {

class Conversions;

class TreeWalk : protected KernelPart {
public:
  virtual ~TreeWalk() = default;

  /// Generates an expression of any kind; returns an error entity on errors.
  virtual Entity genExpr(const Expr *expr) = 0;
  /// Generates an expression that may be a call with several values.
  virtual Entity genValues(const Expr *expr) = 0;
  /// Inlines a call of a fn, one argument for each parameter, at `place`.
  virtual Entity genInlined(const FnDecl &fn, ArrayRef<Entity> arguments,
                            SourcePlace place) = 0;
  virtual void genStatement(const Stmt *stmt) = 0;
  void genStatements(const StmtList &statements);

  // `what` names the use of an expression in errors: "the step of `range`".

  /// Generates an operand of arithmetic: a number, a scalar or a tile.
  Entity genOperand(const Expr *expr, StringRef what);
  /// Generates an `int` as an `index`; null after an error.
  Value genIndex(const Expr *expr, StringRef what);

  std::optional<int64_t> evaluateInteger(const Expr *expr, StringRef what);
  /// `hint` ends the error about a value of run time.
  std::optional<bool> evaluateBool(const Expr *expr, StringRef what,
                                   StringRef hint = "");

  /// Returns the type that an expression denotes; null after an error.
  Type evaluateType(const Expr *expr);
  Type evaluateTileType(const IndexExpr &index);
  /// Returns an element type of tiles, not `int`; null after an error.
  Type evaluateElementType(const Expr *expr);
  /// Returns the type of a range below `limit`. The range walks a dimension if
  /// `limit` is the size of one. Null after an error.
  tile::RangeType evaluateRangeType(Value limit, const Expr *extent);
  /// Checks the order of the arguments of `tiles`; reports an error if a number
  /// comes before a size of the kernel, as in `tiles(64, N)`.
  bool checkTilesOrder(const Expr *size, const Expr *extent);

protected:
  TreeWalk(KernelContext &context, Conversions &conversions)
      : KernelPart(context), conversions(conversions) {}

  Conversions &conversions;

private:
  Type evaluateTypeName(const NameExpr &name);
  bool checkElementType(Type type, SourcePlace place);
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_TREEWALK_H
