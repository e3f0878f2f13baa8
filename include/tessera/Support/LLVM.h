//===- LLVM.h - Names imported from LLVM and MLIR ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every namespace of the project is inside `tessera`. The names of MLIR and
// LLVM that all of them use are imported here once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_LLVM_H
#define TESSERA_SUPPORT_LLVM_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class AffineExpr;
class AsmParser;
class AsmPrinter;
class Attribute;
class Block;
class Builder;
class DialectRegistry;
class IRMapping;
class Location;
class MLIRContext;
class ModuleOp;
class OpAsmParser;
class OpAsmPrinter;
class OpBuilder;
class OpPassManager;
class Operation;
class PatternRewriter;
class RankedTensorType;
class Region;
class RewritePatternSet;
class StringAttr;
class Type;
class TypedAttr;
class Value;
class ValueRange;
template <typename OpTy>
class OwningOpRef;
} // namespace mlir

namespace tessera {
using namespace mlir;
} // namespace tessera

#endif // TESSERA_SUPPORT_LLVM_H
