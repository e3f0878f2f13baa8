//===- ElementwiseFunctions.cpp - Functions of elements ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of each element. Calls with compile-time numbers are evaluated.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/AxisNames.h"
#include "Expressions/InvalidIndexMasks.h"
#include "Expressions/Shapes.h"
#include "Names/CompileTime.h"
#include "Warnings/Warnings.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

template <typename OpTy>
static Value createUnary(OpBuilder &builder, Location loc, Value operand) {
  return OpTy::create(builder, loc, operand);
}

Entity BuiltinFunctions::genElementwise(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x"}, 1, arguments))
    return Entity();
  StringRef name = call.callee.text;
  std::string what = ("`" + name + "`").str();
  Entity operand = walk.genOperand(arguments[0]->value, what);
  if (operand.isError())
    return Entity();
  bool isOfBits = name == "clz" || name == "popcount";
  if (isOfBits && !operand.is(Kind::Integer) && operand.isCompileTime()) {
    error(call.place) << what << " is for integers, got " << operand.describe();
    return Entity();
  }
  if (name != "abs" && !isOfBits && !context.checkExact(operand))
    return Entity();
  if (operand.isNumber())
    return evaluateFunction(name, operand, [&] { return error(call.place); });

  if (isOfBits)
    return operators.applyBitFunction(name, operand, call.place);
  Location loc = getLoc(call.place);
  Value value = operand.getValue();
  bool isFloat =
      !operand.is(Kind::Bool) && isa<FloatType>(operand.getElementType());
  if (!isFloat) {
    if (name == "abs" && !operand.is(Kind::Bool) &&
        operand.getElementType().isUnsignedInteger())
      return operand;
    if (name == "abs" && !operand.is(Kind::Bool) &&
        !operand.getElementType().isInteger(1))
      return operand.withValue(createUnary<math::AbsIOp>(builder, loc, value));
    error(arguments[0]->value->place)
        << what << " is for floats, got " << operand.describe()
        << "; convert with `as f32`";
    return Entity();
  }
  if (!checkFunctionOfF64(operand, name, call.place))
    return Entity();
  if (!llvm::is_contained({"abs", "ceil", "floor", "round", "trunc"}, name))
    warnOfNarrowFunction(context, operand, what, call.place);
  if (name == "sigmoid") {
    Value one = values.getFloatLike(value, 1.0, call.place);
    Value negated = arith::NegFOp::create(builder, loc, value);
    Value power = math::ExpOp::create(builder, loc, negated);
    Value sum = arith::AddFOp::create(builder, loc, one, power);
    return operand.withValue(arith::DivFOp::create(builder, loc, one, sum));
  }
  using Create = Value (*)(OpBuilder &, Location, Value);
  auto create = llvm::StringSwitch<Create>(name)
                    .Case("abs", createUnary<math::AbsFOp>)
                    .Case("acos", createUnary<math::AcosOp>)
                    .Case("asin", createUnary<math::AsinOp>)
                    .Case("atan", createUnary<math::AtanOp>)
                    .Case("cbrt", createUnary<math::CbrtOp>)
                    .Case("ceil", createUnary<math::CeilOp>)
                    .Case("cos", createUnary<math::CosOp>)
                    .Case("cosh", createUnary<math::CoshOp>)
                    .Case("erf", createUnary<math::ErfOp>)
                    .Case("exp", createUnary<math::ExpOp>)
                    .Case("exp2", createUnary<math::Exp2Op>)
                    .Case("expm1", createUnary<math::ExpM1Op>)
                    .Case("floor", createUnary<math::FloorOp>)
                    .Case("log", createUnary<math::LogOp>)
                    .Case("log1p", createUnary<math::Log1pOp>)
                    .Case("log2", createUnary<math::Log2Op>)
                    .Case("round", createUnary<math::RoundEvenOp>)
                    .Case("rsqrt", createUnary<math::RsqrtOp>)
                    .Case("sin", createUnary<math::SinOp>)
                    .Case("sinh", createUnary<math::SinhOp>)
                    .Case("sqrt", createUnary<math::SqrtOp>)
                    .Case("tan", createUnary<math::TanOp>)
                    .Case("trunc", createUnary<math::TruncOp>)
                    .Default(createUnary<math::TanhOp>);
  return operand.withValue(create(builder, loc, value));
}

Entity BuiltinFunctions::genExtremum(const CallExpr &call) {
  bool isMax = call.callee.text == "max";
  bool hasAxis = llvm::any_of(call.arguments, [](const Argument &argument) {
    return argument.name.text == "axis";
  });
  SmallVector<const Argument *> arguments;
  SmallVector<StringRef> parameters = {"x", "y"};
  if (hasAxis)
    parameters.back() = "axis";
  // One argument without an axis is an incomplete reduction.
  if (call.arguments.size() == 1 && !hasAxis) {
    error(call.place) << "`" << call.callee.text
                      << "` of one value is a reduction and needs an axis: `"
                      << call.callee.text << "(x, axis = 1)`";
    return Entity();
  }
  if (!matchArguments(context, call, parameters, 2, arguments, hasAxis ? 1 : 2))
    return Entity();
  Entity lhs = walk.genExpr(arguments[0]->value);
  if (hasAxis)
    return reduce(isMax ? tile::ReduceKind::Max : tile::ReduceKind::Min, lhs,
                  arguments[1]->value, call.place);
  Entity rhs = walk.genExpr(arguments[1]->value);
  if (lhs.isError() || rhs.isError())
    return Entity();
  return operators.applyExtremum(isMax, lhs, rhs, call.place);
}

Entity BuiltinFunctions::genWhere(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"condition", "x", "y"}, 3, arguments))
    return Entity();
  Entity condition = walk.genOperand(arguments[0]->value, "`where`");
  Entity operands[] = {walk.genOperand(arguments[1]->value, "`where`"),
                       walk.genOperand(arguments[2]->value, "`where`")};
  if (condition.isError() || operands[0].isError() || operands[1].isError())
    return Entity();
  bool isBool =
      condition.is(Kind::Bool) ||
      (!condition.isCompileTime() && condition.getElementType().isInteger(1));
  if (!isBool) {
    error(arguments[0]->value->place)
        << "the condition of `where` is a `bool`, got " << condition.describe()
        << "; compare, as in `x != 0`";
    return Entity();
  }
  std::optional<SmallVector<int64_t>> shape;
  if (!findCommonShape(context, {condition, operands[0], operands[1]},
                       call.place, "`where`", shape))
    return Entity();
  Type element = conversions.findCommonElement(operands, call.place, "`where`",
                                               shape.has_value());
  AxisNames names;
  if (!element || !joinAxisNames(context, {condition, operands[0], operands[1]},
                                 call.place, "`where`", names))
    return Entity();
  std::optional<ArrayRef<int64_t>> target;
  if (shape)
    target = *shape;
  Value values[2];
  for (unsigned i = 0; i < 2; ++i) {
    values[i] =
        conversions.materialize(operands[i], element, target, call.place);
    if (!values[i])
      return Entity();
  }
  if (condition.is(Kind::Bool))
    return Entity::runtime(values[condition.getBool() ? 0 : 1])
        .withAxisNames(names);
  // A scalar condition chooses whole tiles.
  Value chooser = condition.getValue();
  if (condition.is(Kind::Tile))
    chooser = conversions.materialize(condition, builder.getI1Type(), target,
                                      call.place);
  if (!chooser)
    return Entity();
  auto chosen = arith::SelectOp::create(builder, getLoc(call.place), chooser,
                                        values[0], values[1]);
  markChoice(chosen);
  return Entity::runtime(chosen).withAxisNames(names);
}

Entity BuiltinFunctions::genFma(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "y", "z"}, 3, arguments))
    return Entity();
  SmallVector<Entity, 3> operands;
  for (const Argument *argument : arguments)
    operands.push_back(walk.genOperand(argument->value, "`fma`"));
  if (!conversions.unify(operands, call.place, "`fma`"))
    return Entity();
  if (!isa<FloatType>(operands[0].getElementType())) {
    error(call.place) << "`fma` is for floats, got " << operands[0].describe()
                      << "; convert with `as f32`";
    return Entity();
  }
  return operands[0].withValue(
      math::FmaOp::create(builder, getLoc(call.place), operands[0].getValue(),
                          operands[1].getValue(), operands[2].getValue()));
}

Entity BuiltinFunctions::genBits(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "type"}, 2, arguments))
    return Entity();
  Entity operand = walk.genOperand(arguments[0]->value, "`bits`");
  Type element = walk.evaluateElementType(arguments[1]->value);
  if (operand.isError() || !element)
    return Entity();
  SourcePlace place = call.place;
  if (operand.isCompileTime()) {
    error(place) << operand.describe()
                 << " has no type whose bits are known; convert it before, as "
                    "in `bits(1.0 as f32, i32)`";
    return Entity();
  }
  Type from = operand.getElementType();
  for (Type type : {from, element}) {
    if (!type.isIndex() && !type.isInteger(1))
      continue;
    error(place) << "`bits` is for types with bits in memory, got `"
                 << printType(type) << "`; convert with `as`";
    return Entity();
  }
  if (from.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth()) {
    error(place) << "`bits` keeps the number of bits, but `" << printType(from)
                 << "` has " << from.getIntOrFloatBitWidth() << " and `"
                 << printType(element) << "` has "
                 << element.getIntOrFloatBitWidth();
    return Entity();
  }
  if (from == element)
    return operand;
  Type type = element;
  if (operand.is(Kind::Tile))
    type = cast<RankedTensorType>(operand.getValue().getType()).clone(element);
  return operand.withValue(arith::BitcastOp::create(builder, getLoc(place),
                                                    type, operand.getValue()));
}

Entity BuiltinFunctions::genMulhi(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "y"}, 2, arguments))
    return Entity();
  return operators.applyHighProduct(
      walk.genOperand(arguments[0]->value, "`mulhi`"),
      walk.genOperand(arguments[1]->value, "`mulhi`"), call.place);
}
