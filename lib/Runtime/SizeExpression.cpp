//===- SizeExpression.cpp - Expressions over named sizes --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent into postfix code for a stack machine. Invariant: the depth
// of nesting is limited, since the text may come from a damaged file.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/SizeExpression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::StringRef;
using llvm::Twine;

namespace tessera::rt {
class SizeExpressionParser {
public:
  explicit SizeExpressionParser(StringRef text) : text(text), rest(text) {
    result.text = text.str();
  }

  llvm::Expected<SizeExpression> parse() {
    if (llvm::Error error = parseSum())
      return error;
    skipSpaces();
    if (!rest.empty())
      return fail("an operator or the end");
    return std::move(result);
  }

private:
  using Op = SizeExpression::Op;

  llvm::Error fail(const Twine &expected) {
    return createStringError("size expression '" + text + "': expected " +
                             expected + " at position " +
                             Twine(text.size() - rest.size()));
  }

  void skipSpaces() { rest = rest.ltrim(' '); }

  bool consume(char symbol) {
    skipSpaces();
    return rest.consume_front(StringRef(&symbol, 1));
  }

  static bool isNameChar(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
  }

  /// Returns the next word, or an empty one.
  StringRef peekWord() {
    skipSpaces();
    if (rest.empty() || !(llvm::isAlpha(rest[0]) || rest[0] == '_'))
      return {};
    return rest.take_while(isNameChar);
  }

  static std::optional<Op> getWordOperator(StringRef word) {
    if (word == "floordiv")
      return Op::FloorDivide;
    if (word == "ceildiv")
      return Op::CeilDivide;
    if (word == "mod")
      return Op::Modulo;
    return std::nullopt;
  }

  void emit(Op op, int64_t value = 0) { result.steps.push_back({op, value}); }

  llvm::Error parseSum() {
    if (llvm::Error error = parseTerm())
      return error;
    while (true) {
      Op op = Op::Add;
      if (consume('-'))
        op = Op::Subtract;
      else if (!consume('+'))
        return llvm::Error::success();
      if (llvm::Error error = parseTerm())
        return error;
      emit(op);
    }
  }

  llvm::Error parseTerm() {
    if (llvm::Error error = parseFactor())
      return error;
    while (true) {
      Op op = Op::Multiply;
      if (!consume('*')) {
        StringRef word = peekWord();
        std::optional<Op> wordOperator = getWordOperator(word);
        if (!wordOperator)
          return llvm::Error::success();
        rest = rest.drop_front(word.size());
        op = *wordOperator;
      }
      if (llvm::Error error = parseFactor())
        return error;
      emit(op);
    }
  }

  llvm::Error parseFactor() {
    if (++depth > kMaxDepth)
      return fail("less nesting");
    llvm::Error error = parseFactorBody();
    --depth;
    return error;
  }

  llvm::Error parseFactorBody() {
    if (consume('-')) {
      if (llvm::Error error = parseFactor())
        return error;
      emit(Op::Negate);
      return llvm::Error::success();
    }
    if (consume('(')) {
      if (llvm::Error error = parseSum())
        return error;
      return consume(')') ? llvm::Error::success() : fail("')'");
    }
    if (!rest.empty() && llvm::isDigit(rest[0])) {
      int64_t value = 0;
      if (rest.take_while(llvm::isDigit).getAsInteger(10, value))
        return fail("an integer of 64 bits");
      rest = rest.drop_while(llvm::isDigit);
      emit(Op::Constant, value);
      return llvm::Error::success();
    }
    // In this position an operator is a name, as in the compiler's parser.
    StringRef word = peekWord();
    if (word.empty())
      return fail("an integer, a name or '('");
    rest = rest.drop_front(word.size());
    auto known = llvm::find(result.names, word);
    emit(Op::Name, known - result.names.begin());
    if (known == result.names.end())
      result.names.push_back(word.str());
    return llvm::Error::success();
  }

  static constexpr unsigned kMaxDepth = 64;
  StringRef text, rest;
  unsigned depth = 0;
  SizeExpression result;
};
} // namespace tessera::rt

llvm::Expected<SizeExpression> SizeExpression::parse(StringRef text) {
  return SizeExpressionParser(text).parse();
}

std::optional<std::pair<StringRef, int64_t>>
SizeExpression::getBinding() const {
  if (steps.empty() || steps[0].op != Op::Name)
    return std::nullopt;
  StringRef name = names.front();
  if (steps.size() == 1)
    return std::make_pair(name, int64_t(0));
  if (steps.size() != 3 || steps[1].op != Op::Constant)
    return std::nullopt;
  if (steps[2].op == Op::Add)
    return std::make_pair(name, steps[1].value);
  if (steps[2].op == Op::Subtract)
    return std::make_pair(name, -steps[1].value);
  return std::nullopt;
}

llvm::Expected<int64_t> SizeExpression::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> lookup) const {
  auto fail = [&](const Twine &message) {
    return createStringError("size expression '" + Twine(text) +
                             "': " + message);
  };
  llvm::SmallVector<int64_t> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.op == Op::Name) {
      std::optional<int64_t> value = lookup(names[step.value]);
      if (!value)
        return fail("'" + names[step.value] + "' has no value");
      stack.push_back(*value);
      continue;
    }
    int64_t rhs = stack.pop_back_val();
    int64_t lhs = step.op == Op::Negate ? 0 : stack.pop_back_val();
    bool divides = step.op == Op::FloorDivide || step.op == Op::CeilDivide ||
                   step.op == Op::Modulo;
    if (divides && rhs < 1)
      return fail("the divisor is " + Twine(rhs) + ", but must be at least 1");
    int64_t value = 0;
    bool overflow = false;
    switch (step.op) {
    case Op::Add:
      overflow = llvm::AddOverflow(lhs, rhs, value);
      break;
    case Op::Subtract:
    case Op::Negate:
      overflow = llvm::SubOverflow(lhs, rhs, value);
      break;
    case Op::Multiply:
      overflow = llvm::MulOverflow(lhs, rhs, value);
      break;
    case Op::FloorDivide:
      value = llvm::divideFloorSigned(lhs, rhs);
      break;
    case Op::CeilDivide:
      value = llvm::divideCeilSigned(lhs, rhs);
      break;
    case Op::Modulo:
      value = llvm::mod(lhs, rhs);
      break;
    case Op::Constant:
    case Op::Name:
      break;
    }
    if (overflow)
      return fail("the value does not fit in 64 bits");
    stack.push_back(value);
  }
  return stack.back();
}

std::string SizeExpression::formatC(
    llvm::function_ref<std::string(StringRef)> formatName) const {
  std::vector<std::string> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back("INT64_C(" + std::to_string(step.value) + ")");
      continue;
    }
    if (step.op == Op::Name) {
      stack.push_back(formatName(names[step.value]));
      continue;
    }
    std::string rhs = std::move(stack.back());
    stack.pop_back();
    std::string lhs = step.op == Op::Negate ? "" : std::move(stack.back());
    if (step.op != Op::Negate)
      stack.pop_back();
    auto infix = [&](const char *symbol) {
      return "(" + lhs + symbol + rhs + ")";
    };
    auto call = [&](const char *function) {
      return std::string(function) + "(" + lhs + ", " + rhs + ")";
    };
    switch (step.op) {
    case Op::Add:
      stack.push_back(infix(" + "));
      break;
    case Op::Subtract:
      stack.push_back(infix(" - "));
      break;
    case Op::Multiply:
      stack.push_back(infix(" * "));
      break;
    case Op::Negate:
      stack.push_back(infix("-"));
      break;
    case Op::FloorDivide:
      stack.push_back(call("tessera_floordiv"));
      break;
    case Op::CeilDivide:
      stack.push_back(call("tessera_ceildiv"));
      break;
    case Op::Modulo:
      stack.push_back(call("tessera_mod"));
      break;
    case Op::Constant:
    case Op::Name:
      break;
    }
  }
  return stack.back();
}
