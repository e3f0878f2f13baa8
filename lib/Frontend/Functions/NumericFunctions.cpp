//===- NumericFunctions.cpp - Kinds, signs and pairs of floats --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of two floats, the sign, and the tests for infinity and NaN.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Names/CompileTime.h"
#include "Warnings/Warnings.h"

#include <limits>

using namespace tessera;
using namespace tessera::frontend;

/// Returns the names of the parameters, which may be arguments by name.
static SmallVector<StringRef> getParameters(StringRef name) {
  if (name == "atan2")
    return {"y", "x"};
  if (name == "copysign")
    return {"x", "sign"};
  return {"x", "y"};
}

bool BuiltinFunctions::checkFunctionOfF64(const Entity &operand, StringRef name,
                                          SourcePlace place) {
  if (!operand.getElementType().isF64() ||
      llvm::is_contained({"abs", "ceil", "copysign", "floor", "round", "rsqrt",
                          "sqrt", "trunc"},
                         name))
    return true;
  auto diagnostic = error(place);
  diagnostic << "`" << name << "` is for floats of at most 32 bits, got "
             << operand.describe() << "; convert with `as f32`";
  if (llvm::is_contained({"exp", "exp2", "log"}, name))
    diagnostic << ", or call `" << name << "_f64` of `std/doubles.tile`";
  return false;
}

/// Returns the angle of the point (x, y). Like C, it is defined at the origin:
/// atan2(y, ±0) is atan2(y, ±1) there. MLIR 22 folds an atan2 of two constant
/// zeros to NaN, so the operation does not get two zeros.
static Value createArcTangent(OpBuilder &builder, Location loc, Value y,
                              Value x) {
  auto createSplat = [&](double value) -> Value {
    Type type = x.getType();
    TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  };
  Value zero = createSplat(0);
  auto isZero = [&](Value value) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value,
                                 zero);
  };
  Value isOrigin = arith::AndIOp::create(builder, loc, isZero(y), isZero(x));
  Value side = math::CopySignOp::create(builder, loc, createSplat(1), x);
  x = arith::SelectOp::create(builder, loc, isOrigin, side, x);
  return math::Atan2Op::create(builder, loc, y, x);
}

Entity BuiltinFunctions::genOfTwo(const CallExpr &call) {
  StringRef name = call.callee.text;
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, getParameters(name), 2, arguments))
    return Entity();
  std::string what = ("`" + name + "`").str();
  Entity operands[] = {walk.genOperand(arguments[0]->value, what),
                       walk.genOperand(arguments[1]->value, what)};
  for (const Entity &operand : operands)
    if (operand.isError() || !context.checkExact(operand))
      return Entity();
  if (operands[0].isNumber() && operands[1].isNumber())
    return evaluateFunctionOfTwo(name, operands[0], operands[1],
                                 [&] { return error(call.place); });
  // Of two operands, the one that is no number has the type.
  for (const Entity &operand : operands) {
    bool isFloat =
        operand.isNumber() ||
        (!operand.is(Kind::Bool) && isa<FloatType>(operand.getElementType()));
    // An `int` becomes a float next to one.
    bool isInt = operand.is(Kind::Scalar) && operand.getElementType().isIndex();
    if (isFloat || isInt)
      continue;
    error(call.place) << what << " is for floats, got " << operand.describe()
                      << "; convert with `as f32`";
    return Entity();
  }
  if (!conversions.unify(operands, call.place, what))
    return Entity();
  if (!isa<FloatType>(operands[0].getElementType())) {
    error(call.place) << what << " is for floats, got "
                      << operands[0].describe() << "; convert with `as f32`";
    return Entity();
  }
  if (!checkFunctionOfF64(operands[0], name, call.place))
    return Entity();
  Location loc = getLoc(call.place);
  Value x = operands[0].getValue(), y = operands[1].getValue();
  if (name == "copysign")
    return operands[0].withValue(math::CopySignOp::create(builder, loc, x, y));
  if (name == "fmod")
    return operands[0].withValue(arith::RemFOp::create(builder, loc, x, y));
  warnOfNarrowFunction(context, operands[0], what, call.place);
  if (name == "pow")
    return operands[0].withValue(math::PowFOp::create(builder, loc, x, y));
  return operands[0].withValue(createArcTangent(builder, loc, x, y));
}

/// Returns the only argument, a float or a number that is known.
Entity BuiltinFunctions::genFloatArgument(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x"}, 1, arguments))
    return Entity();
  std::string what = ("`" + call.callee.text + "`").str();
  Entity operand = walk.genOperand(arguments[0]->value, what);
  if (operand.isError() || operand.isNumber())
    return operand;
  if (!operand.is(Kind::Bool) && isa<FloatType>(operand.getElementType()))
    return operand;
  InFlightDiagnostic diagnostic = error(arguments[0]->value->place);
  diagnostic << what << " is for floats, got " << operand.describe();
  if (call.callee.text == "sign")
    diagnostic << "; the sign of an integer is `min(max(x, -1), 1)`";
  return Entity();
}

Entity BuiltinFunctions::genSign(const CallExpr &call) {
  Entity operand = genFloatArgument(call);
  if (operand.isError())
    return Entity();
  if (operand.isNumber())
    return evaluateFunction("sign", operand, [&] { return error(call.place); });
  Location loc = getLoc(call.place);
  Value x = operand.getValue();
  auto constant = [&](double value) {
    return values.getFloatLike(x, value, call.place);
  };
  auto compare = [&](arith::CmpFPredicate predicate) {
    return arith::CmpFOp::create(builder, loc, predicate, x, constant(0));
  };
  Value notAbove = arith::SelectOp::create(
      builder, loc, compare(arith::CmpFPredicate::OLT), constant(-1), x);
  return operand.withValue(arith::SelectOp::create(
      builder, loc, compare(arith::CmpFPredicate::OGT), constant(1), notAbove));
}

Entity BuiltinFunctions::genFloatTest(const CallExpr &call) {
  Entity operand = genFloatArgument(call);
  if (operand.isError())
    return Entity();
  StringRef name = call.callee.text;
  if (operand.isNumber()) {
    double x = operand.getFloat();
    return Entity::boolean(name == "isnan"   ? std::isnan(x)
                           : name == "isinf" ? std::isinf(x)
                                             : std::isfinite(x));
  }
  Location loc = getLoc(call.place);
  Value x = operand.getValue();
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return operand.withValue(
        arith::CmpFOp::create(builder, loc, predicate, lhs, rhs));
  };
  // A type without infinity has finite numbers and NaN.
  bool hasInfinity = !isa<Float8E4M3FNType>(operand.getElementType());
  if (name == "isnan")
    return compare(arith::CmpFPredicate::UNO, x, x);
  if (!hasInfinity)
    return name == "isfinite" ? compare(arith::CmpFPredicate::ORD, x, x)
                              : compare(arith::CmpFPredicate::ONE, x, x);
  Value magnitude = math::AbsFOp::create(builder, loc, x);
  Value infinity = values.getFloatLike(
      x, std::numeric_limits<double>::infinity(), call.place);
  return compare(name == "isinf" ? arith::CmpFPredicate::OEQ
                                 : arith::CmpFPredicate::OLT,
                 magnitude, infinity);
}
