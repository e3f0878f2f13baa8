//===- BranchGenerator.h - `if` as statement and expression -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_BRANCHGENERATOR_H
#define TESSERA_FRONTEND_BRANCHGENERATOR_H

#include "Expressions/Conversions.h"
#include "TreeWalk.h"

namespace tessera::frontend {

class BranchGenerator : KernelPart {
public:
  BranchGenerator(KernelContext &context, TreeWalk &walk,
                  Conversions &conversions)
      : KernelPart(context), walk(walk), conversions(conversions) {}

  void genIf(const IfStmt &stmt);
  Entity genIfExpr(const IfExpr &expr);

private:
  /// Generates a condition: a known truth value or a scalar `bool`.
  Entity genCondition(const Expr *expr, StringRef statement = "an `if`");
  void genBody(const StmtList &body);
  Entity genValueBlock(const ValueBlock &block);

  TreeWalk &walk;
  Conversions &conversions;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_BRANCHGENERATOR_H
