//===- TileSize.cpp - Size expressions --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SizeAttr: affine expressions over named sizes. MLIR prints symbols of affine
// expressions as s0, s1, …; sizes have names, so this file has its own printer
// and recursive-descent parser. Invariant: the symbols are exactly those that
// occur in the expression, each name once. The grammar:
//
//   sum     ::= term (('+' | '-') term)*
//   term    ::= factor (('*' | 'floordiv' | 'ceildiv' | 'mod') factor)*
//   factor  ::= '-' factor | integer | name | '(' sum ')'
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::tile;

SizeAttr SizeAttr::getSymbol(StringAttr symbol) {
  MLIRContext *context = symbol.getContext();
  return get(context, ArrayRef<StringAttr>(symbol),
             getAffineSymbolExpr(0, context));
}

SizeAttr SizeAttr::getConstant(MLIRContext *context, int64_t value) {
  return get(context, ArrayRef<StringAttr>(),
             getAffineConstantExpr(value, context));
}

/// Visits the symbols of `expr` from left to right.
static void visitSymbols(AffineExpr expr,
                         function_ref<void(AffineSymbolExpr)> visit) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    visitSymbols(binary.getLHS(), visit);
    visitSymbols(binary.getRHS(), visit);
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    visit(symbol);
  }
}

SizeAttr SizeAttr::getNormalized(MLIRContext *context,
                                 ArrayRef<StringAttr> symbols,
                                 AffineExpr expr) {
  // A kernel may have any number of sizes. Only those of the expression are
  // kept, in their order.
  SmallVector<unsigned> positions;
  visitSymbols(expr, [&](AffineSymbolExpr symbol) {
    positions.push_back(symbol.getPosition());
  });
  llvm::sort(positions);
  positions.erase(llvm::unique(positions), positions.end());
  SmallVector<StringAttr> occurring;
  llvm::DenseMap<AffineExpr, AffineExpr> moved;
  for (unsigned position : positions) {
    moved[getAffineSymbolExpr(position, context)] =
        getAffineSymbolExpr(occurring.size(), context);
    occurring.push_back(symbols[position]);
  }
  expr = expr.replace(moved);
  symbols = occurring;
  expr = simplifyAffineExpr(expr, /*numDims=*/0, symbols.size());
  SmallVector<StringAttr> used;
  SmallVector<AffineExpr> replacement(symbols.size(),
                                      getAffineConstantExpr(0, context));
  visitSymbols(expr, [&](AffineSymbolExpr symbol) {
    StringAttr name = symbols[symbol.getPosition()];
    auto *known = llvm::find(used, name);
    replacement[symbol.getPosition()] =
        getAffineSymbolExpr(known - used.begin(), context);
    if (known == used.end())
      used.push_back(name);
  });
  AffineExpr renumbered = expr.replaceSymbols(replacement);
  // Two positions may have had the same name. Then the expression is simplified
  // again.
  AffineExpr simpler =
      simplifyAffineExpr(renumbered, /*numDims=*/0, used.size());
  if (simpler != renumbered)
    return getNormalized(context, used, simpler);
  return get(context, used, renumbered);
}

std::optional<int64_t> SizeAttr::getConstantValue() const {
  if (auto constant = dyn_cast<AffineConstantExpr>(getExpr()))
    return constant.getValue();
  return std::nullopt;
}

StringAttr SizeAttr::getSingleSymbol() const {
  if (isa<AffineSymbolExpr>(getExpr()))
    return getSymbols().front();
  return {};
}

std::optional<int64_t> SizeAttr::getOffsetFromSymbol() const {
  if (isa<AffineSymbolExpr>(getExpr()))
    return 0;
  auto sum = dyn_cast<AffineBinaryOpExpr>(getExpr());
  if (!sum || sum.getKind() != AffineExprKind::Add ||
      !isa<AffineSymbolExpr>(sum.getLHS()))
    return std::nullopt;
  if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS()))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static std::optional<int64_t>
evaluateExpr(AffineExpr expr, ArrayRef<StringAttr> symbols,
             function_ref<std::optional<int64_t>(StringRef)> lookup) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return lookup(symbols[symbol.getPosition()].getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = evaluateExpr(binary.getLHS(), symbols, lookup);
  std::optional<int64_t> rhs = evaluateExpr(binary.getRHS(), symbols, lookup);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t result = 0;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    if (llvm::AddOverflow(*lhs, *rhs, result))
      return std::nullopt;
    return result;
  case AffineExprKind::Mul:
    if (llvm::MulOverflow(*lhs, *rhs, result))
      return std::nullopt;
    return result;
  case AffineExprKind::FloorDiv:
    return *rhs < 1 ? std::nullopt
                    : std::optional(llvm::divideFloorSigned(*lhs, *rhs));
  case AffineExprKind::CeilDiv:
    return *rhs < 1 ? std::nullopt
                    : std::optional(llvm::divideCeilSigned(*lhs, *rhs));
  case AffineExprKind::Mod:
    return *rhs < 1 ? std::nullopt : std::optional(llvm::mod(*lhs, *rhs));
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> SizeAttr::evaluate(
    function_ref<std::optional<int64_t>(StringRef)> lookup) const {
  return evaluateExpr(getExpr(), getSymbols(), lookup);
}

//===----------------------------------------------------------------------===//
// Printing and parsing
//===----------------------------------------------------------------------===//

/// Precedence of an expression: a sum needs parentheses inside a product.
enum class Binding { Sum, Term, Factor };

static void printExpr(raw_ostream &os, AffineExpr expr,
                      ArrayRef<StringAttr> symbols, Binding context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    os << constant.getValue();
    return;
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    os << symbols[symbol.getPosition()].getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool isSum = binary.getKind() == AffineExprKind::Add;
  bool parenthesised =
      isSum ? context != Binding::Sum : context == Binding::Factor;
  if (parenthesised)
    os << "(";
  printExpr(os, binary.getLHS(), symbols, isSum ? Binding::Sum : Binding::Term);
  AffineExpr rhs = binary.getRHS();
  Binding rhsContext = isSum ? Binding::Term : Binding::Factor;
  switch (binary.getKind()) {
  case AffineExprKind::Add: {
    // Affine expressions have no subtraction: a - b is a + b * -1.
    auto constant = dyn_cast<AffineConstantExpr>(rhs);
    auto product = dyn_cast<AffineBinaryOpExpr>(rhs);
    auto factor = product && product.getKind() == AffineExprKind::Mul
                      ? dyn_cast<AffineConstantExpr>(product.getRHS())
                      : AffineConstantExpr();
    if (constant && constant.getValue() < 0 &&
        constant.getValue() != std::numeric_limits<int64_t>::min()) {
      os << " - " << -constant.getValue();
    } else if (factor && factor.getValue() < 0 &&
               factor.getValue() != std::numeric_limits<int64_t>::min()) {
      os << " - ";
      printExpr(os, product.getLHS(), symbols,
                factor.getValue() == -1 ? Binding::Factor : Binding::Term);
      if (factor.getValue() != -1)
        os << " * " << -factor.getValue();
    } else {
      os << " + ";
      printExpr(os, rhs, symbols, rhsContext);
    }
    break;
  }
  case AffineExprKind::Mul:
    os << " * ";
    printExpr(os, rhs, symbols, rhsContext);
    break;
  case AffineExprKind::FloorDiv:
    os << " floordiv ";
    printExpr(os, rhs, symbols, rhsContext);
    break;
  case AffineExprKind::CeilDiv:
    os << " ceildiv ";
    printExpr(os, rhs, symbols, rhsContext);
    break;
  default:
    os << " mod ";
    printExpr(os, rhs, symbols, rhsContext);
    break;
  }
  if (parenthesised)
    os << ")";
}

void SizeAttr::printExpression(raw_ostream &os) const {
  printExpr(os, getExpr(), getSymbols(), Binding::Sum);
}

std::string SizeAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpression(os);
  return text;
}

namespace {
/// Recursive-descent parser of the grammar in the header of this file.
class SizeParser {
public:
  SizeParser(AsmParser &parser) : parser(parser) {}

  ParseResult parseSum(AffineExpr &result) {
    if (++depth > kMaxDepth)
      return parser.emitError(parser.getCurrentLocation(),
                              "size expression is nested too deeply");
    if (parseTerm(result))
      return failure();
    while (true) {
      AffineExpr rhs;
      if (succeeded(parser.parseOptionalPlus())) {
        if (parseTerm(rhs))
          return failure();
        result = result + rhs;
      } else if (succeeded(parser.parseOptionalMinus())) {
        if (parseTerm(rhs))
          return failure();
        result = result - rhs;
      } else {
        --depth;
        return success();
      }
    }
  }

  SmallVector<StringAttr> symbols;

private:
  ParseResult parseTerm(AffineExpr &result) {
    if (parseFactor(result))
      return failure();
    while (true) {
      AffineExpr rhs;
      if (succeeded(parser.parseOptionalStar())) {
        if (parseFactor(rhs))
          return failure();
        result = result * rhs;
      } else if (succeeded(parser.parseOptionalKeyword("floordiv"))) {
        if (parseDivisor(rhs))
          return failure();
        result = result.floorDiv(rhs);
      } else if (succeeded(parser.parseOptionalKeyword("ceildiv"))) {
        if (parseDivisor(rhs))
          return failure();
        result = result.ceilDiv(rhs);
      } else if (succeeded(parser.parseOptionalKeyword("mod"))) {
        if (parseDivisor(rhs))
          return failure();
        result = result % rhs;
      } else {
        return success();
      }
    }
  }

  ParseResult parseDivisor(AffineExpr &result) {
    SMLoc loc = parser.getCurrentLocation();
    if (parseFactor(result))
      return failure();
    auto constant = dyn_cast<AffineConstantExpr>(result);
    if (constant && constant.getValue() < 1)
      return parser.emitError(loc, "expected a divisor of at least 1");
    return success();
  }

  ParseResult parseFactor(AffineExpr &result) {
    MLIRContext *context = parser.getContext();
    if (succeeded(parser.parseOptionalMinus())) {
      if (++depth > kMaxDepth)
        return parser.emitError(parser.getCurrentLocation(),
                                "size expression is nested too deeply");
      if (parseFactor(result))
        return failure();
      --depth;
      result = -result;
      return success();
    }
    if (succeeded(parser.parseOptionalLParen()))
      return failure(parseSum(result) || parser.parseRParen());
    int64_t value;
    OptionalParseResult integer = parser.parseOptionalInteger(value);
    if (integer.has_value()) {
      result = getAffineConstantExpr(value, context);
      return *integer;
    }
    StringRef name;
    if (parser.parseOptionalKeyword(&name))
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a size: an integer, a name or '('");
    auto symbol = StringAttr::get(context, name);
    auto *known = llvm::find(symbols, symbol);
    result = getAffineSymbolExpr(known - symbols.begin(), context);
    if (known == symbols.end())
      symbols.push_back(symbol);
    return success();
  }

  static constexpr unsigned kMaxDepth = 64;
  AsmParser &parser;
  unsigned depth = 0;
};
} // namespace

FailureOr<SizeAttr> SizeAttr::parseExpression(AsmParser &parser) {
  SizeParser sizes(parser);
  AffineExpr expr;
  if (sizes.parseSum(expr))
    return failure();
  return getNormalized(parser.getContext(), sizes.symbols, expr);
}

void SizeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printExpression(printer.getStream());
  printer << ">";
}

Attribute SizeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SizeAttr> size = parseExpression(parser);
  if (failed(size) || parser.parseGreater())
    return {};
  return *size;
}
