//===- SizeExpressions.cpp - Sizes in the signature -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of parameters and sizes of grid axes are semi-affine expressions
// over sizes, which a launch binds. They become `#tile.size`. An undeclared
// name is a size. A launch must find its value: the size is an `int` parameter,
// or a dimension is the size itself or the size plus a constant.
//
//   kernel k(x: f32[N, M + 1], out y: f32[M / 4])   // N and M are bound
//
//===----------------------------------------------------------------------===//

#include "SizeExpressions.h"
#include "tessera/Array/Limits.h"

#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::frontend;

/// Bounds the constants in a size, so that their products fit in 64 bits.
static constexpr int64_t kMaxSizeConstant = array::kMaxSize;

/// A divisor above the absolute value of each size. It rounds negative numbers
/// to -1, and others to 0.
static constexpr int64_t kSignDivisor = int64_t(1) << 62;

/// Checks whether every constant in `expr` is within the bound.
static bool hasSmallConstants(AffineExpr expr) {
  bool small = true;
  expr.walk([&](AffineExpr part) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part);
        constant && constant.getValue() != kSignDivisor)
      small &= constant.getValue() <= kMaxSizeConstant &&
               constant.getValue() >= -kMaxSizeConstant;
  });
  return small;
}

AffineExpr SizeExpressions::getSizeSymbol(SourcePlace place, StringRef name) {
  KernelSignature &signature = context.signature;
  if (isReservedTypeName(name)) {
    error(place) << "`" << name << "` is a type, expected a size";
    return {};
  }
  if (name == "tiles") {
    error(place) << "`tiles` makes ranges and cannot be the name of a size";
    return {};
  }
  if (signature.scalarParameters.contains(name)) {
    if (!signature.scalarParameters[name].isIndex()) {
      error(place) << "the parameter `" << name << "` is `"
                   << printType(signature.scalarParameters[name])
                   << "`; a size is an `int` parameter or a name of its own";
      return {};
    }
  } else if (auto tensor = signature.tensorPlaces.find(name);
             tensor != signature.tensorPlaces.end()) {
    auto diagnostic = error(place);
    diagnostic << "`" << name << "` is a tensor, expected the name of a size";
    note(diagnostic, tensor->second) << "the tensor is declared here";
    return {};
  }
  auto [entry, added] = signature.sizePlaces.insert({name, place});
  if (added)
    sizeNames.push_back(StringAttr::get(builder.getContext(), name));
  size_t position = entry - signature.sizePlaces.begin();
  return getAffineSymbolExpr(position, builder.getContext());
}

AffineExpr SizeExpressions::evaluateSizeChoice(const IfExpr &expr,
                                               StringRef what) {
  Entity condition = walk.genExpr(expr.condition);
  if (condition.isError())
    return {};
  if (!condition.is(Kind::Bool)) {
    error(expr.condition->place)
        << "the condition of an `if` in " << what
        << " is a `bool` that is known at compile time, got "
        << condition.describe();
    return {};
  }
  const ValueBlock &block =
      condition.getBool() ? expr.thenBlock : expr.elseBlock;
  if (!block.lets.empty()) {
    error(block.lets.front()->place)
        << "an `if` in " << what << " holds nothing but a size";
    return {};
  }
  return evaluateSizeExpr(block.value, what);
}

AffineExpr SizeExpressions::evaluateSizeName(const NameExpr &name,
                                             StringRef what) {
  Symbol *symbol = scopes.lookup(name.name);
  if (!symbol)
    return getSizeSymbol(name.place, name.name);
  if (symbol->entity.is(Kind::Integer))
    return getAffineConstantExpr(symbol->entity.getInteger(),
                                 builder.getContext());
  auto diagnostic = error(name.place);
  diagnostic << "`" << name.name << "` is " << symbol->entity.describe()
             << ", expected an `int` in " << what;
  context.noteDeclaration(diagnostic, *symbol);
  return {};
}

static bool isSizeOperator(TokenKind op) {
  return op == TokenKind::Plus || op == TokenKind::Minus ||
         op == TokenKind::Star || op == TokenKind::Slash ||
         op == TokenKind::Percent;
}

AffineExpr SizeExpressions::evaluateSizeExpr(const Expr *expr, StringRef what) {
  if (auto *integer = dyn_cast<IntegerExpr>(expr))
    return getAffineConstantExpr(integer->value, builder.getContext());
  if (auto *name = dyn_cast<NameExpr>(expr))
    return evaluateSizeName(*name, what);
  if (auto *choice = dyn_cast<IfExpr>(expr))
    return evaluateSizeChoice(*choice, what);
  auto *unary = dyn_cast<UnaryExpr>(expr);
  if (unary && unary->op == TokenKind::Minus) {
    AffineExpr operand = evaluateSizeExpr(unary->operand, what);
    return operand ? operand * -1 : AffineExpr();
  }
  auto *binary = dyn_cast<BinaryExpr>(expr);
  if (binary && isSizeOperator(binary->op))
    return evaluateSizeOperator(*binary, what);
  auto *call = dyn_cast<CallExpr>(expr);
  if (call && (call->callee.text == "max" || call->callee.text == "min"))
    return evaluateSizeBound(*call, what);
  auto diagnostic = error(expr->place);
  diagnostic << what
             << " is made of names of sizes, integers, `+ - * / %`, `max` and "
                "`min`, got something else";
  if (call)
    diagnostic << "; an axis over tiles is written `n in tiles(N, 64)`, and a "
                  "quotient that is rounded up `(N + 63) / 64`";
  return {};
}

/// Emits `max(a, b)` as `b + d * (d floordiv 2^62 + 1)` with `d = a - b`, since
/// affine expressions have no maximum. `min(a, b)` is `a` minus the same term.
AffineExpr SizeExpressions::evaluateSizeBound(const CallExpr &call,
                                              StringRef what) {
  StringRef name = call.callee.text;
  if (call.arguments.size() != 2 ||
      llvm::any_of(call.arguments, [](const Argument &argument) {
        return !argument.name.text.empty();
      })) {
    error(call.place) << "`" << name << "` in " << what
                      << " takes two sizes, as in `" << name << "(M, N)`";
    return {};
  }
  AffineExpr lhs = evaluateSizeExpr(call.arguments[0].value, what);
  AffineExpr rhs = evaluateSizeExpr(call.arguments[1].value, what);
  if (!lhs || !rhs)
    return {};
  AffineExpr excess = lhs - rhs;
  excess = excess * (excess.floorDiv(kSignDivisor) + 1);
  return name == "max" ? rhs + excess : lhs - excess;
}

AffineExpr SizeExpressions::evaluateSizeOperator(const BinaryExpr &expr,
                                                 StringRef what) {
  AffineExpr lhs = evaluateSizeExpr(expr.lhs, what);
  AffineExpr rhs = evaluateSizeExpr(expr.rhs, what);
  if (!lhs || !rhs)
    return {};
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if (divisor && divisor.getValue() < 1 &&
      (expr.op == TokenKind::Slash || expr.op == TokenKind::Percent)) {
    error(expr.place) << "the divisor of a size is " << divisor.getValue()
                      << ", expected at least 1";
    return {};
  }
  AffineExpr result;
  if (hasSmallConstants(lhs) && hasSmallConstants(rhs)) {
    result = expr.op == TokenKind::Plus    ? lhs + rhs
             : expr.op == TokenKind::Minus ? lhs - rhs
             : expr.op == TokenKind::Star  ? lhs * rhs
             : expr.op == TokenKind::Slash ? lhs.floorDiv(rhs)
                                           : lhs % rhs;
  }
  if (!result || !hasSmallConstants(result)) {
    error(expr.place) << "a constant in " << what
                      << " is out of range; sizes are at most "
                      << array::kMaxSizeText;
    return {};
  }
  return result;
}

tile::SizeAttr SizeExpressions::evaluateSize(const Expr *expr, StringRef what) {
  AffineExpr result = evaluateSizeExpr(expr, what);
  if (!result)
    return {};
  if (!hasSmallConstants(result)) {
    error(expr->place) << "a constant in " << what
                       << " is out of range; sizes are at most "
                       << array::kMaxSizeText;
    return {};
  }
  return tile::SizeAttr::getNormalized(builder.getContext(), sizeNames, result);
}

bool SizeExpressions::checkSizesAreBound(ArrayRef<Type> types) {
  const KernelSignature &signature = context.signature;
  SmallVector<StringRef> bound;
  llvm::StringSet<> known;
  auto bind = [&](StringRef name) {
    if (known.insert(name).second)
      bound.push_back(name);
  };
  for (const auto &[name, type] : signature.scalarParameters)
    if (type.isIndex())
      bind(name);
  for (Type type : types)
    if (auto global = dyn_cast<tile::GlobalType>(type))
      for (tile::SizeAttr size : global.getShape())
        if (size.getOffsetFromSymbol())
          bind(size.getSymbols().front().getValue());
  bool valid = true;
  for (const auto &[name, place] : signature.sizePlaces) {
    if (known.contains(name))
      continue;
    valid = false;
    auto diagnostic = error(place);
    diagnostic << "nothing binds the size `" << name << "`"
               << askForName(name, bound);
    note(diagnostic, place)
        << "a launch takes it from a dimension that is `" << name << "` or `"
        << name << " + 1`, or from a parameter `" << name << ": int`";
  }
  return valid;
}
