//===- CompileTime.cpp - Arithmetic at compile time -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant evaluation. Integer arithmetic uses the checked functions of
// MathExtras, so no input reaches undefined behaviour of the host.
//
//===----------------------------------------------------------------------===//

#include "CompileTime.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::frontend;

using Kind = Entity::Kind;

/// Reports that `op` cannot be applied to the operands.
static Entity reportOperands(TokenKind op, const Entity &lhs, const Entity &rhs,
                             EmitError emitError) {
  emitError() << describe(op) << " cannot be applied to " << lhs.describe()
              << " and " << rhs.describe();
  return Entity();
}

static Entity evaluateInteger(TokenKind op, int64_t lhs, int64_t rhs,
                              EmitError emitError) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case TokenKind::Plus:
    overflow = llvm::AddOverflow(lhs, rhs, result);
    break;
  case TokenKind::Minus:
    overflow = llvm::SubOverflow(lhs, rhs, result);
    break;
  case TokenKind::Star:
    overflow = llvm::MulOverflow(lhs, rhs, result);
    break;
  case TokenKind::Slash:
  case TokenKind::Percent:
    if (rhs == 0) {
      emitError() << "division by zero at compile time";
      return Entity();
    }
    // The one quotient that does not fit.
    if (lhs == std::numeric_limits<int64_t>::min() && rhs == -1) {
      overflow = op == TokenKind::Slash;
      break;
    }
    if (op == TokenKind::Slash) {
      result = llvm::divideFloorSigned(lhs, rhs);
      break;
    }
    result = lhs % rhs;
    if (result != 0 && (result < 0) != (rhs < 0))
      result += rhs;
    break;
  case TokenKind::Amp:
    result = lhs & rhs;
    break;
  case TokenKind::Pipe:
    result = lhs | rhs;
    break;
  case TokenKind::Caret:
    result = lhs ^ rhs;
    break;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    if (rhs < 0 || rhs > 63) {
      emitError() << "a shift at compile time is by 0 to 63 bits, got " << rhs;
      return Entity();
    }
    result = op == TokenKind::LessLess
                 ? static_cast<int64_t>(static_cast<uint64_t>(lhs) << rhs)
                 : lhs >> rhs;
    overflow = op == TokenKind::LessLess && result >> rhs != lhs;
    break;
  default:
    break;
  }
  if (overflow) {
    emitError() << "the result of " << describe(op) << " on " << lhs << " and "
                << rhs << " does not fit 64 bits";
    return Entity();
  }
  return Entity::integer(result);
}

static Entity evaluateFloat(TokenKind op, double lhs, double rhs,
                            EmitError emitError) {
  switch (op) {
  case TokenKind::Plus:
    return Entity::floating(lhs + rhs);
  case TokenKind::Minus:
    return Entity::floating(lhs - rhs);
  case TokenKind::Star:
    return Entity::floating(lhs * rhs);
  case TokenKind::Slash:
    if (rhs == 0) {
      emitError() << "division by zero at compile time";
      return Entity();
    }
    return Entity::floating(lhs / rhs);
  default:
    emitError() << describe(op) << " is for integers, got "
                << Entity::floating(lhs).describe() << " and "
                << Entity::floating(rhs).describe();
    return Entity();
  }
}

template <typename T>
static bool compare(TokenKind op, T lhs, T rhs) {
  switch (op) {
  case TokenKind::EqualEqual:
    return lhs == rhs;
  case TokenKind::ExclaimEqual:
    return lhs != rhs;
  case TokenKind::Less:
    return lhs < rhs;
  case TokenKind::LessEqual:
    return lhs <= rhs;
  case TokenKind::Greater:
    return lhs > rhs;
  default:
    return lhs >= rhs;
  }
}

bool tessera::frontend::isComparison(TokenKind op) {
  return op >= TokenKind::EqualEqual && op <= TokenKind::GreaterEqual;
}

bool tessera::frontend::isShift(TokenKind op) {
  return op == TokenKind::LessLess || op == TokenKind::GreaterGreater;
}

bool tessera::frontend::isBitOperator(TokenKind op) {
  return op == TokenKind::Amp || op == TokenKind::Pipe ||
         op == TokenKind::Caret;
}

static bool isEquality(TokenKind op) {
  return op == TokenKind::EqualEqual || op == TokenKind::ExclaimEqual;
}

Entity tessera::frontend::evaluateBinary(TokenKind op, const Entity &lhs,
                                         const Entity &rhs,
                                         EmitError emitError) {
  if (op == TokenKind::AmpAmp || op == TokenKind::PipePipe) {
    if (!lhs.is(Kind::Bool) || !rhs.is(Kind::Bool))
      return reportOperands(op, lhs, rhs, emitError);
    return Entity::boolean(op == TokenKind::AmpAmp
                               ? lhs.getBool() && rhs.getBool()
                               : lhs.getBool() || rhs.getBool());
  }
  if (lhs.isNumber() && rhs.isNumber()) {
    bool integers = lhs.is(Kind::Integer) && rhs.is(Kind::Integer);
    if (isComparison(op))
      return Entity::boolean(
          integers ? compare(op, lhs.getInteger(), rhs.getInteger())
                   : compare(op, lhs.getFloat(), rhs.getFloat()));
    return integers
               ? evaluateInteger(op, lhs.getInteger(), rhs.getInteger(),
                                 emitError)
               : evaluateFloat(op, lhs.getFloat(), rhs.getFloat(), emitError);
  }
  if (lhs.is(Kind::Bool) && rhs.is(Kind::Bool) && isBitOperator(op))
    return Entity::boolean(op == TokenKind::Amp ? lhs.getBool() && rhs.getBool()
                           : op == TokenKind::Pipe
                               ? lhs.getBool() || rhs.getBool()
                               : lhs.getBool() != rhs.getBool());
  if (isEquality(op) && lhs.is(Kind::Bool) && rhs.is(Kind::Bool))
    return Entity::boolean(compare(op, lhs.getBool(), rhs.getBool()));
  if (isEquality(op) && lhs.is(Kind::Type) && rhs.is(Kind::Type))
    return Entity::boolean((lhs.getTypeValue() == rhs.getTypeValue()) ==
                           (op == TokenKind::EqualEqual));
  return reportOperands(op, lhs, rhs, emitError);
}

Entity tessera::frontend::evaluateUnary(TokenKind op, const Entity &operand,
                                        EmitError emitError) {
  if (op == TokenKind::Tilde && operand.is(Kind::Integer))
    return Entity::integer(~operand.getInteger());
  if ((op == TokenKind::Exclaim || op == TokenKind::Tilde) &&
      operand.is(Kind::Bool))
    return Entity::boolean(!operand.getBool());
  if (op == TokenKind::Minus && operand.is(Kind::Float))
    return Entity::floating(-operand.getFloat());
  if (op == TokenKind::Minus && operand.is(Kind::Integer))
    return evaluateInteger(TokenKind::Minus, 0, operand.getInteger(),
                           emitError);
  emitError() << describe(op) << " cannot be applied to " << operand.describe();
  return Entity();
}

Entity tessera::frontend::evaluateFunction(StringRef name,
                                           const Entity &operand,
                                           EmitError emitError) {
  if (operand.is(Kind::Integer) && name == "abs")
    return operand.getInteger() < 0
               ? evaluateUnary(TokenKind::Minus, operand, emitError)
               : operand;
  if (operand.is(Kind::Integer) && name == "popcount")
    return Entity::integer(
        llvm::popcount(static_cast<uint64_t>(operand.getInteger())));
  if (operand.is(Kind::Integer) && name == "clz")
    return Entity::integer(
        llvm::countl_zero(static_cast<uint64_t>(operand.getInteger())));
  double x = operand.getFloat();
  auto apply =
      llvm::StringSwitch<double (*)(double)>(name)
          .Case("abs", [](double x) { return std::fabs(x); })
          .Case("acos", [](double x) { return std::acos(x); })
          .Case("asin", [](double x) { return std::asin(x); })
          .Case("atan", [](double x) { return std::atan(x); })
          .Case("cbrt", [](double x) { return std::cbrt(x); })
          .Case("ceil", [](double x) { return std::ceil(x); })
          .Case("cos", [](double x) { return std::cos(x); })
          .Case("cosh", [](double x) { return std::cosh(x); })
          .Case("erf", [](double x) { return std::erf(x); })
          .Case("exp", [](double x) { return std::exp(x); })
          .Case("exp2", [](double x) { return std::exp2(x); })
          .Case("expm1", [](double x) { return std::expm1(x); })
          .Case("floor", [](double x) { return std::floor(x); })
          .Case("log", [](double x) { return std::log(x); })
          .Case("log1p", [](double x) { return std::log1p(x); })
          .Case("log2", [](double x) { return std::log2(x); })
          .Case("round", [](double x) { return std::nearbyint(x); })
          .Case("rsqrt", [](double x) { return 1 / std::sqrt(x); })
          .Case("sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); })
          .Case("sign", [](double x) { return x > 0   ? 1
                                              : x < 0 ? -1
                                                      : x; })
          .Case("sin", [](double x) { return std::sin(x); })
          .Case("sinh", [](double x) { return std::sinh(x); })
          .Case("sqrt", [](double x) { return std::sqrt(x); })
          .Case("tan", [](double x) { return std::tan(x); })
          .Case("tanh", [](double x) { return std::tanh(x); })
          .Case("trunc", [](double x) { return std::trunc(x); })
          .Default(nullptr);
  if (!apply)
    return Entity();
  double result = apply(x);
  // A NaN from a number is a mistake: a root or a logarithm out of its domain.
  if ((std::isnan(result) && !std::isnan(x)) || (name == "rsqrt" && x == 0)) {
    emitError() << "`" << name << "` of " << operand.describe()
                << " is not defined";
    return Entity();
  }
  return Entity::floating(result);
}

Entity tessera::frontend::evaluateFunctionOfTwo(StringRef name,
                                                const Entity &lhs,
                                                const Entity &rhs,
                                                EmitError emitError) {
  double x = lhs.getFloat(), y = rhs.getFloat();
  double result = name == "atan2"      ? std::atan2(x, y)
                  : name == "copysign" ? std::copysign(x, y)
                  : name == "fmod"     ? std::fmod(x, y)
                                       : std::pow(x, y);
  if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) {
    emitError() << "`" << name << "` of " << lhs.describe() << " and "
                << rhs.describe() << " is not defined";
    return Entity();
  }
  return Entity::floating(result);
}

Entity tessera::frontend::evaluateExtremum(bool isMax, const Entity &lhs,
                                           const Entity &rhs) {
  if (lhs.is(Kind::Integer) && rhs.is(Kind::Integer)) {
    bool takeLhs = (lhs.getInteger() > rhs.getInteger()) == isMax;
    return takeLhs ? lhs : rhs;
  }
  double x = lhs.getFloat(), y = rhs.getFloat();
  if (std::isnan(x) || std::isnan(y))
    return Entity::floating(std::numeric_limits<double>::quiet_NaN());
  return Entity::floating(isMax ? std::max(x, y) : std::min(x, y));
}
