//===- MemoryFunctions.cpp - load, atomic_add, barrier ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions on tensors in global memory. The first argument names elements; its
// value is not loaded.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/AxisNames.h"
#include "Warnings/Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

Entity BuiltinFunctions::genLoad(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"elements", "fill"}, 1, arguments))
    return Entity();
  auto *index = dyn_cast<IndexExpr>(arguments[0]->value);
  if (!index) {
    error(arguments[0]->value->place)
        << "`load` takes elements of a tensor: `load(x[m, n], fill = 0)`";
    return Entity();
  }
  std::optional<Access> access = accesses.genAccess(*index, Access::Use::Read);
  TypedAttr fill;
  if (arguments[1]) {
    const Expr *expr = arguments[1]->value;
    Entity value = walk.genOperand(expr, "`fill`");
    if (value.isError() || !access)
      return Entity();
    if (!value.isCompileTime()) {
      error(expr->place) << "`fill` must be known at compile time, got "
                         << value.describe()
                         << "; use `where` with the `.valid` of the range";
      return Entity();
    }
    fill = values.getNumberAttr(value, getElementTypeOrSelf(access->valueType),
                                expr->place);
    if (!fill)
      return Entity();
  }
  if (!access)
    return Entity();
  Value value = tile::LoadOp::create(
      builder, getLoc(call.place), access->valueType, access->global,
      access->indices, fill, DenseBoolArrayAttr(), access->axes);
  return Entity::runtime(value).withAxisNames(access->axisNames);
}

Entity BuiltinFunctions::genAtomicAdd(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"elements", "value"}, 2, arguments))
    return Entity();
  auto *index = dyn_cast<IndexExpr>(arguments[0]->value);
  if (!index) {
    error(arguments[0]->value->place)
        << "`atomic_add` takes elements of a tensor: `atomic_add(x[m, n], t)`";
    return Entity();
  }
  std::optional<Access> access = accesses.genAccess(*index, Access::Use::Add);
  Entity value = walk.genExpr(arguments[1]->value);
  if (!access)
    return Entity();
  Type element = getElementTypeOrSelf(access->valueType);
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isInteger(32) && !element.isInteger(64)) {
    error(call.place) << "`atomic_add` is for `f32`, `f16`, `bf16`, `i32` and "
                         "`i64`, got `"
                      << printType(element) << "`";
    return Entity();
  }
  SourcePlace place = arguments[1]->value->place;
  std::string what = "the value added to " + access->name;
  Value added = conversions.coerce(value, access->valueType, place, what);
  if (!added ||
      !checkStoredAxes(context, access->axisNames, value, place, what))
    return Entity();
  warnOfRepeatedReduction(context, value, access->valueType, place);
  tile::AtomicAddOp::create(builder, getLoc(call.place), added, access->global,
                            access->indices, DenseBoolArrayAttr(),
                            access->axes);
  return Entity::nothing();
}

Entity BuiltinFunctions::genBarrier(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {}, 0, arguments))
    return Entity();
  tile::BarrierOp::create(builder, getLoc(call.place));
  return Entity::nothing();
}
