//===- SizeExpressions.h - Sizes in the signature ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_SIZEEXPRESSIONS_H
#define TESSERA_FRONTEND_SIZEEXPRESSIONS_H

#include "TreeWalk.h"

namespace tessera::frontend {

class SizeExpressions : KernelPart {
public:
  SizeExpressions(KernelContext &context, TreeWalk &walk)
      : KernelPart(context), walk(walk) {}

  /// Returns the size that an expression denotes; null after an error. `what`
  /// names its use: "a dimension".
  tile::SizeAttr evaluateSize(const Expr *expr, StringRef what);

  /// Checks whether a launch can find the value of each size. `types` are the
  /// types of the parameters.
  bool checkSizesAreBound(ArrayRef<Type> types);

private:
  AffineExpr evaluateSizeExpr(const Expr *expr, StringRef what);
  AffineExpr evaluateSizeName(const NameExpr &name, StringRef what);
  AffineExpr evaluateSizeChoice(const IfExpr &expr, StringRef what);
  AffineExpr evaluateSizeBound(const CallExpr &call, StringRef what);
  AffineExpr evaluateSizeOperator(const BinaryExpr &expr, StringRef what);
  AffineExpr getSizeSymbol(SourcePlace place, StringRef name);

  TreeWalk &walk;
  /// The sizes in the order of their first use, as in KernelSignature.
  SmallVector<StringAttr> sizeNames;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_SIZEEXPRESSIONS_H
