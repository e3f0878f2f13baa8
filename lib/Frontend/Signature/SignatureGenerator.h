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
  Entity convertDefault(const CompileTimeParameter &parameter, Entity value);
  Type evaluateParameterType(const Parameter &parameter);
  Type evaluateGlobalType(const Parameter &parameter, const IndexExpr &index);

  TreeWalk &walk;
  SizeExpressions &sizes;
  KernelSignature &signature;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_SIGNATUREGENERATOR_H
