//===- BodyGenerator.h - Dispatches to the generators -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the generators of the body of a kernel and calls the one that is
// responsible for a node of the syntax tree. Bounds the depth of the recursion.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_BODYGENERATOR_H
#define TESSERA_FRONTEND_BODYGENERATOR_H

#include "Expressions/AccessGenerator.h"
#include "Expressions/ExpressionGenerator.h"
#include "Expressions/Operators.h"
#include "Expressions/ProductGenerator.h"
#include "Functions/BuiltinFunctions.h"
#include "Functions/CallGenerator.h"
#include "Statements/BranchGenerator.h"
#include "Statements/LoopGenerator.h"
#include "Statements/StatementGenerator.h"
#include "TreeWalk.h"

namespace tessera::frontend {

class BodyGenerator final : public TreeWalk {
public:
  BodyGenerator(KernelContext &context, EntryValues &values,
                Conversions &conversions);

  Entity genExpr(const Expr *expr) override;
  Entity genValues(const Expr *expr) override;
  Entity genInlined(const FnDecl &fn, ArrayRef<Entity> arguments,
                    SourcePlace place) override;
  void genStatement(const Stmt *stmt) override;

private:
  Entity dispatch(const Expr *expr);

  /// Bounds the recursion over the syntax tree, inlined fns included.
  static constexpr unsigned maxDepth = 400;

  /// Counts one level of the recursion during its lifetime.
  class Depth {
  public:
    /// Reports an error at `place` if this level is one too many.
    Depth(BodyGenerator &generator, SourcePlace place);
    ~Depth() { --generator.depth; }
    Depth(const Depth &) = delete;
    Depth &operator=(const Depth &) = delete;
    bool isAllowed() const { return generator.depth <= maxDepth; }

  private:
    BodyGenerator &generator;
  };

  Operators operators;
  ProductGenerator products;
  AccessGenerator accesses;
  ExpressionGenerator expressions;
  BuiltinFunctions builtins;
  CallGenerator calls;
  BranchGenerator branches;
  LoopGenerator loops;
  StatementGenerator statements;

  unsigned depth = 0;
  bool reportedDepth = false;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_BODYGENERATOR_H
