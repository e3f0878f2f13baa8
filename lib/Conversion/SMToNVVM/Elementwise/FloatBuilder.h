//===- FloatBuilder.h - Operations on floats --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_FLOATBUILDER_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_FLOATBUILDER_H

#include "tessera/Support/LLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Emits operations on floats of one type, for formulas.
class FloatBuilder {
public:
  FloatBuilder(OpBuilder &builder, Location loc, FloatType type)
      : builder(builder), loc(loc), type(type) {}

  Value constant(double value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) {
    return LLVM::FAddOp::create(builder, loc, x, y);
  }
  Value sub(Value x, Value y) {
    return LLVM::FSubOp::create(builder, loc, x, y);
  }
  Value mul(Value x, Value y) {
    return LLVM::FMulOp::create(builder, loc, x, y);
  }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(builder, loc, x, y, z);
  }
  Value abs(Value x) { return LLVM::FAbsOp::create(builder, loc, x); }
  Value withSignOf(Value x, Value sign) {
    return LLVM::CopySignOp::create(builder, loc, x, sign);
  }
  Value select(Value condition, Value x, Value y) {
    return LLVM::SelectOp::create(builder, loc, condition, x, y);
  }

protected:
  OpBuilder &builder;
  Location loc;
  FloatType type;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_FLOATBUILDER_H
