//===- MemoryFunctions.cpp - load, atomics, barrier -------------*- C++ -*-===//
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
    Type element = getElementTypeOrSelf(access->valueType);
    // Literals of u64 are values of the program.
    if (auto *literal = dyn_cast<UnsignedExpr>(expr);
        literal && element.isUnsignedInteger(64)) {
      fill = builder.getIntegerAttr(element, literal->value);
    } else if (literal) {
      error(expr->place) << literal->value << " is out of range of `"
                         << printType(element) << "`";
    } else if (!value.isCompileTime()) {
      error(expr->place) << "`fill` must be known at compile time, got "
                         << value.describe()
                         << "; use `where` with the `.valid` of the range";
      return Entity();
    } else {
      fill = values.getNumberAttr(value, element, expr->place);
    }
    if (!fill)
      return Entity();
  }
  if (!access)
    return Entity();
  Value value = tile::LoadOp::create(
      builder, getLoc(call.place), access->valueType, access->global,
      access->indices, fill, DenseBoolArrayAttr(), access->axes,
      DenseBoolArrayAttr());
  return Entity::runtime(value).withAxisNames(access->axisNames);
}

/// Returns the operation of a function, for elements of type `element`.
static tile::AtomicKind getAtomicKind(StringRef name, Type element) {
  tile::AtomicKind kind =
      *tile::symbolizeAtomicKind(name.drop_front(strlen("atomic_")));
  if (element.isUnsignedInteger()) {
    if (kind == tile::AtomicKind::Max)
      return tile::AtomicKind::UMax;
    if (kind == tile::AtomicKind::Min)
      return tile::AtomicKind::UMin;
  }
  return kind;
}

/// Checks whether `kind` exists for elements of this type.
bool BuiltinFunctions::checkAtomicElement(const CallExpr &call,
                                          tile::AtomicKind kind, Type element) {
  if (element.isInteger(32) || element.isInteger(64))
    return true;
  bool isAdd = kind == tile::AtomicKind::Add;
  bool isExchange = kind == tile::AtomicKind::Exchange;
  if (((element.isF32() || element.isF64()) && (isAdd || isExchange)) ||
      ((element.isF16() || element.isBF16()) && isAdd))
    return true;
  auto diagnostic = error(call.place);
  diagnostic << "`" << call.callee.text << "` is for "
             << (isAdd        ? "`f64`, `f32`, `f16`, `bf16`, and integers"
                 : isExchange ? "`f64`, `f32`, and integers"
                              : "integers")
             << " of 32 and 64 bits, got `" << printType(element) << "`";
  if (isa<FloatType>(element) &&
      (kind == tile::AtomicKind::Max || kind == tile::AtomicKind::Min)) {
    StringRef bits = element.isF64() ? "i64" : "i32";
    bool isNarrow = element.getIntOrFloatBitWidth() < 32;
    diagnostic << "; floats that are not negative have the order of their "
                  "bits: `"
               << call.callee.text << "(x[…], bits(t"
               << (isNarrow ? " as f32" : "") << ", " << bits << "))` of an `"
               << bits << "` tensor";
  }
  if (element.isF32() && kind == tile::AtomicKind::Cas)
    diagnostic << "; floats are compared by their bits: `atomic_cas(x[…], "
                  "bits(t, i32), bits(u, i32))` of an `i32` tensor";
  return false;
}

std::optional<tile::AtomicOrder>
BuiltinFunctions::evaluateOrder(const Argument *argument) {
  if (!argument)
    return tile::AtomicOrder::Relaxed;
  auto *name = dyn_cast<NameExpr>(argument->value);
  StringRef word = name ? name->name : StringRef();
  std::optional<tile::AtomicOrder> order = tile::symbolizeAtomicOrder(word);
  if (!order)
    error(argument->value->place)
        << "`order` is one of `relaxed`, `acquire`, `release` and `acq_rel`"
        << askForName(word, {"relaxed", "acquire", "release", "acq_rel"});
  return order;
}

Entity BuiltinFunctions::genAtomic(const CallExpr &call) {
  return genAtomicCall(call, /*wantsOld=*/true);
}

void BuiltinFunctions::genAtomicStatement(const CallExpr &call) {
  genAtomicCall(call, /*wantsOld=*/false);
}

Entity BuiltinFunctions::genAtomicCall(const CallExpr &call, bool wantsOld) {
  StringRef name = call.callee.text;
  bool isCas = name == "atomic_cas";
  SmallVector<const Argument *> arguments;
  if (isCas ? !matchArguments(context, call,
                              {"elements", "expected", "value", "order"}, 3,
                              arguments, /*named=*/3)
            : !matchArguments(context, call, {"elements", "value", "order"}, 2,
                              arguments, /*named=*/2))
    return Entity();
  std::optional<tile::AtomicOrder> order =
      evaluateOrder(arguments.pop_back_val());
  auto *index = dyn_cast<IndexExpr>(arguments[0]->value);
  if (!index) {
    error(arguments[0]->value->place)
        << "`" << name << "` takes elements of a tensor: `" << name
        << (isCas ? "(x[m, n], t, u)`" : "(x[m, n], t)`");
    return Entity();
  }
  std::optional<Access> access =
      accesses.genAccess(*index, Access::Use::Replace);
  SmallVector<Entity> given;
  for (const Argument *argument : ArrayRef(arguments).drop_front())
    given.push_back(walk.genExpr(argument->value));
  if (!access || !order)
    return Entity();
  // An operation that acquires has a result.
  wantsOld |= tile::acquires(*order);
  Type element = getElementTypeOrSelf(access->valueType);
  tile::AtomicKind kind = getAtomicKind(name, element);
  if (!checkAtomicElement(call, kind, element))
    return Entity();
  SmallVector<Value, 2> operands;
  for (auto [i, entity] : llvm::enumerate(given)) {
    SourcePlace place = arguments[i + 1]->value->place;
    bool isExpected = isCas && i == 0;
    std::string what = (isExpected ? "the value expected in "
                        : kind == tile::AtomicKind::Add ? "the value added to "
                                                        : "the value for ") +
                       access->name;
    Value operand = conversions.coerce(entity, access->valueType, place, what);
    if (!operand ||
        !checkStoredAxes(context, access->axisNames, entity, place, what))
      return Entity();
    if (!isExpected)
      warnOfRepeatedReduction(context, entity, access->valueType, place);
    operands.push_back(operand);
  }
  Location loc = getLoc(call.place);
  bool isScalar = !isa<RankedTensorType>(access->valueType);
  SmallVector<Value> indices = access->indices;
  Type type = wantsOld ? access->valueType : Type();
  if (wantsOld && isScalar) {
    // A result is a tile: of one element here.
    auto single = RankedTensorType::get({1}, element);
    type = single;
    for (Value &operand : operands)
      operand = tensor::SplatOp::create(builder, loc, single, operand);
    Value start = indices.back();
    Value limit = arith::AddIOp::create(
        builder, loc, start, arith::ConstantIndexOp::create(builder, loc, 1));
    auto range = tile::RangeType::get(builder.getContext(), 1, StringAttr());
    indices.back() = tile::RangeOp::create(builder, loc, range, start, limit,
                                           /*full=*/false);
  }
  if (tile::releases(*order))
    tile::BarrierOp::create(builder, loc);
  auto atomic = tile::AtomicOp::create(
      builder, loc, type, kind, operands.back(),
      isCas ? operands.front() : Value(), access->global, indices,
      DenseBoolArrayAttr(), access->axes, *order);
  if (tile::acquires(*order))
    tile::BarrierOp::create(builder, loc);
  if (!wantsOld)
    return Entity::nothing();
  Value old = atomic.getOld();
  if (!isScalar)
    return Entity::runtime(old).withAxisNames(access->axisNames);
  // The sum of one element.
  Value only = tile::ReduceOp::create(builder, loc, tile::ReduceKind::Sum, old,
                                      /*axis=*/0);
  return Entity::runtime(
      tensor::ExtractOp::create(builder, loc, only, ValueRange()));
}

Entity BuiltinFunctions::genBarrier(const CallExpr &call) {
  bool isGrid = !call.arguments.empty();
  if (isGrid) {
    const Argument &scope = call.arguments.front();
    auto *name = dyn_cast<NameExpr>(scope.value);
    if (call.arguments.size() > 1 || !scope.name.text.empty() || !name ||
        name->name != "grid") {
      error(call.callee.place)
          << "`barrier();` orders the accesses of one program, and "
             "`barrier(grid);` those of all programs";
      return Entity();
    }
  }
  tile::BarrierOp::create(builder, getLoc(call.place), isGrid);
  return Entity::nothing();
}
