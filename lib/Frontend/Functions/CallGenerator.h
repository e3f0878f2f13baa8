//===- CallGenerator.h - Calls of functions and fns -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_CALLGENERATOR_H
#define TESSERA_FRONTEND_CALLGENERATOR_H

#include "BuiltinFunctions.h"

namespace tessera::frontend {

class CallGenerator : KernelPart {
public:
  CallGenerator(KernelContext &context, TreeWalk &walk,
                Conversions &conversions, BuiltinFunctions &builtins)
      : KernelPart(context), walk(walk), conversions(conversions),
        builtins(builtins) {}

  /// Generates a call as a statement.
  void genCallStatement(const CallExpr &call);
  /// Generates a call whose value is used.
  Entity genValueCall(const CallExpr &call);
  /// Generates a call whose values are used: one or several.
  Entity genValues(const CallExpr &call);

  /// Inlines a call of a fn. `places` are those of the arguments.
  Entity genInlined(const FnDecl &fn, ArrayRef<Entity> arguments,
                    ArrayRef<SourcePlace> places, SourcePlace place);

private:
  Entity genCall(const CallExpr &call);
  void reportUnknownFunction(const CallExpr &call);

  // Fns.cpp
  Entity genFnCall(const CallExpr &call, const FnDecl &fn);
  /// Generates an argument of a fn, which may be the name of a function.
  Entity genArgument(const Expr *expr);
  bool checkInlining(SourcePlace place, const FnDecl &fn);
  Entity genFnBody(const FnDecl &fn);
  bool bindFnParameter(const Parameter &parameter, Entity argument,
                       SourcePlace place);
  Entity adaptArgument(const Parameter &parameter, const Entity &argument,
                       SourcePlace place);

  /// Bounds the calls of fns that are inlined into one kernel.
  static constexpr unsigned maxInlinedCalls = 4096;

  TreeWalk &walk;
  Conversions &conversions;
  BuiltinFunctions &builtins;
  unsigned inlinedCalls = 0;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_CALLGENERATOR_H
