//===- SizeExpressions.cpp - Sizes in the signature -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of parameters and sizes of grid axes are expressions over names
// that a launch binds. They become `#tile.size`. A name that nothing else
// declares is such a size; it must occur in a dimension by itself, or plus a
// constant, or be an `int` parameter, for a launch to find its value.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"
#include "tessera/Array/Limits.h"

#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::frontend;

/// Bounds the constants in a size: products of a few of them stay in 64 bits.
static constexpr int64_t kMaxSizeConstant = array::kMaxSize;

/// Whether every constant in `expr` is within the bound.
static bool hasSmallConstants(AffineExpr expr) {
  bool small = true;
  expr.walk([&](AffineExpr part) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part))
      small &= constant.getValue() <= kMaxSizeConstant &&
               constant.getValue() >= -kMaxSizeConstant;
  });
  return small;
}

AffineExpr KernelGenerator::getSizeSymbol(SourcePlace place, StringRef name) {
  if (isReservedTypeName(name)) {
    error(place) << "`" << name << "` is a type, expected a size";
    return {};
  }
  if (name == "tiles") {
    error(place) << "`tiles` makes ranges and cannot be the name of a size";
    return {};
  }
  if (scalarParameters.contains(name)) {
    if (!scalarParameters[name].isIndex()) {
      error(place) << "the parameter `" << name << "` is `"
                   << printType(scalarParameters[name])
                   << "`; a size is an `int` parameter or a name of its own";
      return {};
    }
  } else if (auto tensor = tensorPlaces.find(name);
             tensor != tensorPlaces.end()) {
    auto diagnostic = error(place);
    diagnostic << "`" << name << "` is a tensor, expected the name of a size";
    note(diagnostic, tensor->second) << "the tensor is declared here";
    return {};
  }
  auto [entry, added] = sizePlaces.insert({name, place});
  if (added)
    sizeNames.push_back(StringAttr::get(context, name));
  size_t position = entry - sizePlaces.begin();
  return getAffineSymbolExpr(position, context);
}

AffineExpr KernelGenerator::evaluateSizeChoice(const IfExpr &expr,
                                               StringRef what) {
  Entity condition = genExpr(expr.condition);
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

AffineExpr KernelGenerator::evaluateSizeExpr(const Expr *expr, StringRef what) {
  if (auto *integer = dyn_cast<IntegerExpr>(expr))
    return getAffineConstantExpr(integer->value, context);
  if (auto *name = dyn_cast<NameExpr>(expr)) {
    Symbol *symbol = scopes.lookup(name->name);
    if (!symbol)
      return getSizeSymbol(name->place, name->name);
    if (symbol->entity.is(Kind::Integer))
      return getAffineConstantExpr(symbol->entity.getInteger(), context);
    auto diagnostic = error(name->place);
    diagnostic << "`" << name->name << "` is " << symbol->entity.describe()
               << ", expected an `int` in " << what;
    noteDeclaration(diagnostic, *symbol);
    return {};
  }
  if (auto *choice = dyn_cast<IfExpr>(expr))
    return evaluateSizeChoice(*choice, what);
  if (auto *unary = dyn_cast<UnaryExpr>(expr)) {
    if (unary->op == TokenKind::Minus)
      if (AffineExpr operand = evaluateSizeExpr(unary->operand, what))
        return operand * -1;
  }
  auto *binary = dyn_cast<BinaryExpr>(expr);
  if (!binary ||
      (binary->op != TokenKind::Plus && binary->op != TokenKind::Minus &&
       binary->op != TokenKind::Star && binary->op != TokenKind::Slash &&
       binary->op != TokenKind::Percent)) {
    if (!isa<UnaryExpr>(expr) || cast<UnaryExpr>(expr)->op != TokenKind::Minus)
      error(expr->place) << what
                         << " is made of names of sizes, integers and `+ - * / "
                            "%`, got something else";
    return {};
  }
  AffineExpr lhs = evaluateSizeExpr(binary->lhs, what);
  AffineExpr rhs = evaluateSizeExpr(binary->rhs, what);
  if (!lhs || !rhs)
    return {};
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if (divisor && divisor.getValue() < 1 &&
      (binary->op == TokenKind::Slash || binary->op == TokenKind::Percent)) {
    error(binary->place) << "the divisor of a size is " << divisor.getValue()
                         << ", expected at least 1";
    return {};
  }
  AffineExpr result;
  if (hasSmallConstants(lhs) && hasSmallConstants(rhs)) {
    result = binary->op == TokenKind::Plus    ? lhs + rhs
             : binary->op == TokenKind::Minus ? lhs - rhs
             : binary->op == TokenKind::Star  ? lhs * rhs
             : binary->op == TokenKind::Slash ? lhs.floorDiv(rhs)
                                              : lhs % rhs;
  }
  if (!result || !hasSmallConstants(result)) {
    error(binary->place) << "a constant in " << what
                         << " is out of range; sizes are at most "
                         << array::kMaxSizeText;
    return {};
  }
  return result;
}

tile::SizeAttr KernelGenerator::evaluateSize(const Expr *expr, StringRef what) {
  AffineExpr result = evaluateSizeExpr(expr, what);
  if (!result)
    return {};
  if (!hasSmallConstants(result)) {
    error(expr->place) << "a constant in " << what
                       << " is out of range; sizes are at most "
                       << array::kMaxSizeText;
    return {};
  }
  return tile::SizeAttr::getNormalized(context, sizeNames, result);
}

bool KernelGenerator::checkSizesAreBound(ArrayRef<Type> types) {
  SmallVector<StringRef> bound;
  llvm::StringSet<> known;
  auto bind = [&](StringRef name) {
    if (known.insert(name).second)
      bound.push_back(name);
  };
  for (const auto &[name, type] : scalarParameters)
    if (type.isIndex())
      bind(name);
  for (Type type : types)
    if (auto global = dyn_cast<tile::GlobalType>(type))
      for (tile::SizeAttr size : global.getShape())
        if (size.getOffsetFromSymbol())
          bind(size.getSymbols().front().getValue());
  bool valid = true;
  for (const auto &[name, place] : sizePlaces) {
    if (known.contains(name))
      continue;
    valid = false;
    auto diagnostic = error(place);
    diagnostic << "nothing binds the size `" << name << "`";
    StringRef nearest = findNearestName(name, bound);
    if (!nearest.empty())
      diagnostic << "; did you mean `" << nearest << "`?";
    diagnostic.attachNote(diagnostics.getLoc(place))
        << "a launch takes it from a dimension that is `" << name << "` or `"
        << name << " + 1`, or from a parameter `" << name << ": int`";
  }
  return valid;
}
