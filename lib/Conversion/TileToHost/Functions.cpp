//===- Functions.cpp - Functions of the math dialect ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in the interpreter, functions are computed in f64 and rounded once. The
// exponentials are polynomials on vectors: Cody and Waite's reduction to
// |r| <= ln(2) / 2, and then Taylor's series to degree 13. The relative error
// is below 2^-50. The rounded result differs from the interpreter's only if the
// value is that near to the middle of two floats. Other functions are calls of
// the C library, as in the interpreter.
//
//===----------------------------------------------------------------------===//

#include "ElementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>

using namespace tessera;
using namespace tessera::host;

/// Returns 2^n e^r. `shifted` is n + 1.5 * 2^52, whose low bits are n.
Value ElementBuilder::raise(Value shifted, Value r) {
  double factorial = 1;
  for (int i = 2; i <= 13; ++i)
    factorial *= i;
  Value sum = getFloat(1 / factorial, f64());
  for (int i = 13; i >= 1; --i) {
    factorial /= i;
    sum = math::FmaOp::create(builder, loc, sum, r,
                              getFloat(1 / factorial, f64()));
  }
  Value exponent = arith::AddIOp::create(builder, loc, bitcast(i64(), shifted),
                                         getInteger(1023, i64()));
  Value scale =
      arith::ShLIOp::create(builder, loc, exponent, getInteger(52, i64()));
  return arith::MulFOp::create(builder, loc, sum, bitcast(f64(), scale));
}

/// Added to a number below 2^51, rounds it to an integer.
static constexpr double kShifter = 0x1.8p52;

Value ElementBuilder::exp(Value x) {
  // Beyond these bounds f32 results are 0 and infinity. NaN passes.
  Value low = getFloat(-200, f64()), high = getFloat(200, f64());
  x = select(compareFloats(int(arith::CmpFPredicate::OLT), x, low), low, x);
  x = select(compareFloats(int(arith::CmpFPredicate::OGT), x, high), high, x);
  Value shifter = getFloat(kShifter, f64());
  Value shifted = math::FmaOp::create(
      builder, loc, x, getFloat(0x1.71547652b82fep0, f64()), shifter);
  Value n = arith::SubFOp::create(builder, loc, shifted, shifter);
  Value r = math::FmaOp::create(builder, loc, n,
                                getFloat(-0x1.62e42fefa39efp-1, f64()), x);
  r = math::FmaOp::create(builder, loc, n,
                          getFloat(-0x1.abc9e3b39803fp-56, f64()), r);
  return raise(shifted, r);
}

Value ElementBuilder::exp2(Value x) {
  Value low = getFloat(-300, f64()), high = getFloat(300, f64());
  x = select(compareFloats(int(arith::CmpFPredicate::OLT), x, low), low, x);
  x = select(compareFloats(int(arith::CmpFPredicate::OGT), x, high), high, x);
  Value shifter = getFloat(kShifter, f64());
  Value shifted = arith::AddFOp::create(builder, loc, x, shifter);
  Value n = arith::SubFOp::create(builder, loc, shifted, shifter);
  Value rest = arith::SubFOp::create(builder, loc, x, n);
  Value r = arith::MulFOp::create(builder, loc, rest,
                                  getFloat(0x1.62e42fefa39efp-1, f64()));
  return raise(shifted, r);
}

Value ElementBuilder::emitFunction(Operation *op, ArrayRef<Value> wide) {
  // The functions of this file have the range of f32.
  bool isWide = getElementTypeOrSelf(op->getResult(0).getType()).isF64();
  if (isa<math::ExpOp>(op) && !isWide)
    return exp(wide[0]);
  if (isa<math::Exp2Op>(op) && !isWide)
    return exp2(wide[0]);
  if (isa<math::RsqrtOp>(op))
    return arith::DivFOp::create(builder, loc, getFloat(1, f64()),
                                 math::SqrtOp::create(builder, loc, wide[0]));
  if (isa<math::SqrtOp>(op))
    return math::SqrtOp::create(builder, loc, wide[0]);
  return callFunction(op->getName().getStringRef(), wide);
}

/// Calls the function of the C library for each lane. It has the name of the
/// operation, which no kernel can have.
Value ElementBuilder::callFunction(StringRef name, ArrayRef<Value> wide) {
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types(wide.size(), f64());
    mlir::func::FuncOp::create(builder, module.getLoc(), name,
                               builder.getFunctionType(types, f64()))
        .setPrivate();
  }
  auto call = [&](ValueRange operands) {
    return mlir::func::CallOp::create(builder, loc, name, f64(), operands)
        .getResult(0);
  };
  if (lanes == 1)
    return call(wide);
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> operands;
    for (Value value : wide)
      operands.push_back(vector::ExtractOp::create(builder, loc, value, lane));
    results.push_back(call(operands));
  }
  return vector::FromElementsOp::create(
      builder, loc, cast<VectorType>(typed(f64())), results);
}
