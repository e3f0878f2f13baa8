//===- SignatureGenerator.h - Parameters of a kernel ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_SIGNATUREGENERATOR_H
#define TESSERA_FRONTEND_SIGNATUREGENERATOR_H

#include "SizeExpressions.h"

namespace tessera::frontend {

/// Fills the signature of the shared context. The first three functions run in
/// this order before the kernel is created; they return false after an error.
class SignatureGenerator : KernelPart {
public:
  SignatureGenerator(KernelContext &context, TreeWalk &walk,
                     SizeExpressions &sizes)
      : KernelPart(context), walk(walk), sizes(sizes),
        signature(context.signature) {}

  bool bindCompileTimeParameters();
  /// Splits the parameters into those of the kernel and those whose condition
  /// is false.
  bool chooseParameters();
  bool collectParameterTypes(SmallVectorImpl<Type> &types);

  /// Declares the parameters, the axes of the grid and the sizes.
  void declareParameters(tile::KernelOp kernelOp);

private:
  Entity parseDefine(const CompileTimeParameter &parameter, StringRef text);
  /// Converts `value`, which is `what` of the parameter, to its type.
  Entity convertValue(const CompileTimeParameter &parameter, const Expr *value,
                      StringRef what);
  /// Checks that a parameter with candidates has a type and a default for them.
  bool checkCandidates(const CompileTimeParameter &parameter);
  /// Evaluates the candidates of a parameter, and records them if no value is
  /// given. Returns false after an error.
  bool evaluateCandidates(const CompileTimeParameter &parameter,
                          const Entity &value, bool isGiven);
  /// Checks that no parameter of the kernel depends on a choice: calls with the
  /// same arguments have the same interface.
  bool checkInterface();
  Type evaluateParameterType(const Parameter &parameter);
  Type evaluateGlobalType(const Parameter &parameter, const IndexExpr &index);

  TreeWalk &walk;
  SizeExpressions &sizes;
  KernelSignature &signature;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_SIGNATUREGENERATOR_H
