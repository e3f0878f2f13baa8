//===- ParseExpr.cpp - Expressions ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Precedence climbing for binary operators, recursive descent for the rest. The
// grammar, from loose to tight binding:
//
//   expr    := and (`||` and)*
//   and     := compare (`&&` compare)*
//   compare := bits ((`==` | `!=` | `<` | `<=` | `>` | `>=`) bits)?
//   bits    := xor (`|` xor)*
//   xor     := mask (`^` mask)*
//   mask    := shift (`&` shift)*
//   shift   := sum ((`<<` | `>>`) sum)*
//   sum     := product ((`+` | `-`) product)*
//   product := matmul ((`*` | `/` | `%`) matmul)*
//   matmul  := cast (`@` cast)*
//   cast    := unary (`as` postfix)*
//   unary   := (`-` | `!` | `~`) unary | postfix
//   postfix := primary (`[` item,* `]` | `.` name)*
//   item    := expr | `(` expr (`,` expr)+ `)` | expr? `:` expr? | `_` | `..`
//   primary := number | `true` | `false` | `inf` | `nan` | name
//            | name `(` arg,* `)`
//            | `(` expr `)` | `if` expr vblock `else` (if | vblock)
//   arg     := string | (name `=`)? expr (`of` expr)?
//   vblock  := `{` let* expr `}`
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "tessera/Array/FloatText.h"
#include "tessera/Frontend/Vocabulary.h"

#include <limits>

using namespace tessera::frontend;

/// Checks whether a function takes text.
static bool takesText(llvm::StringRef function) {
  return function == "asm" || function == "print";
}

static constexpr llvm::StringRef noLambdas =
    "a function has a name: write `fn f(a, b) { return a + b; }` outside of "
    "kernels, and pass `f`";
static constexpr llvm::StringRef noLists =
    "there are no lists and tuples; a shape belongs to a type, as in "
    "`zeros(f32[64, 64])`, and a statement assigns one value";

bool Parser::addChild(Expr *expr, const Expr *child) {
  expr->height = std::max(expr->height, child->height + 1);
  if (expr->height <= maxHeight)
    return true;
  if (!overNested)
    error(expr->place) << "this expression has more than " << maxHeight
                       << " levels; name the inner parts with `let`";
  overNested = true;
  return false;
}

Expr *Parser::parseExpr() {
  Nesting nesting(*this);
  return nesting.check() ? parseBinary(1) : nullptr;
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  Expr *lhs = parseCast();
  while (lhs) {
    unsigned precedence = getPrecedence(token.kind);
    if (!precedence || precedence < minPrecedence)
      return lhs;
    auto *binary = program.create<BinaryExpr>(token.place);
    binary->op = token.kind;
    consumeIf(token.kind);
    binary->lhs = lhs;
    binary->rhs = parseBinary(precedence + 1);
    if (!binary->rhs || !addChild(binary, lhs) ||
        !addChild(binary, binary->rhs))
      return nullptr;
    if (precedence == 3 && getPrecedence(token.kind) == 3) {
      auto *bits = llvm::dyn_cast<BinaryExpr>(binary->rhs);
      bool isBits =
          bits && (bits->op == TokenKind::Amp || bits->op == TokenKind::Pipe ||
                   bits->op == TokenKind::Caret);
      // `a < b & c < d`
      if (isBits)
        error(bits->place)
            << describe(bits->op)
            << " binds more tightly than comparisons; conditions are combined "
               "by `&&` and `||`, as in `a < b && c < d`";
      else
        errorAtToken() << "comparisons do not chain; write `a < b && b < c`";
      return nullptr;
    }
    lhs = binary;
  }
  return nullptr;
}

Expr *Parser::parseCast() {
  Expr *operand = parseUnary();
  while (operand && at(TokenKind::KwAs)) {
    auto *cast = program.create<CastExpr>(token.place);
    consumeIf(TokenKind::KwAs);
    cast->operand = operand;
    if (!at(TokenKind::Identifier)) {
      reportExpected("a type after `as`");
      return nullptr;
    }
    cast->type = parsePostfix();
    if (!cast->type || !addChild(cast, operand) || !addChild(cast, cast->type))
      return nullptr;
    operand = cast;
  }
  return operand;
}

Expr *Parser::parseUnary() {
  if (!at(TokenKind::Minus) && !at(TokenKind::Exclaim) && !at(TokenKind::Tilde))
    return parsePostfix();
  Nesting nesting(*this);
  if (!nesting.check())
    return nullptr;
  auto *unary = program.create<UnaryExpr>(token.place);
  unary->op = token.kind;
  consumeIf(token.kind);
  unary->operand = parseUnary();
  return unary->operand && addChild(unary, unary->operand) ? unary : nullptr;
}

Expr *Parser::parsePostfix() {
  Expr *base = parsePrimary();
  while (base) {
    if (at(TokenKind::LBracket)) {
      // A load is pointed at by its first token, so that the caret shows the
      // tensor.
      auto *index = program.create<IndexExpr>(base->place);
      index->base = base;
      if (!addChild(index, base) || !parseIndexItems(*index))
        return nullptr;
      base = index;
    } else if (at(TokenKind::Dot)) {
      consumeIf(TokenKind::Dot);
      auto *member = program.create<MemberExpr>(token.place);
      member->base = base;
      if (at(TokenKind::KwInf) || at(TokenKind::KwNan)) {
        reportExpected("a name after `.`", "numbers have no modules: write "
                                           "`inf` and `nan`");
        return nullptr;
      }
      if (!parseName(member->name, "a name after `.`") ||
          !addChild(member, base))
        return nullptr;
      base = member;
    } else if (at(TokenKind::LParen)) {
      auto *member = llvm::dyn_cast<MemberExpr>(base);
      llvm::StringRef hint = member ? findForeignName(member->name.text) : "";
      llvm::StringRef type = member ? findForeignType(member->name.text) : "";
      auto diagnostic = errorAtToken();
      diagnostic << "only a name can be called";
      if (!type.empty())
        diagnostic << "; a conversion is written `x as " << type << "`";
      else if (!hint.empty())
        diagnostic << "; " << hint;
      else if (member)
        diagnostic << "; functions have no modules and tiles no methods: write "
                      "`"
                   << member->name.text << "(…)`";
      return nullptr;
    } else {
      return base;
    }
  }
  return nullptr;
}

bool Parser::parseHighBound(IndexExpr &index, IndexItem &item) {
  if (at(TokenKind::Comma) || at(TokenKind::RBracket))
    return true;
  item.kind = IndexItem::Kind::Part;
  item.high = parseExpr();
  if (!item.high || !addChild(&index, item.high))
    return false;
  if (!at(TokenKind::Colon))
    return true;
  errorAtToken() << "a part `a:b` has no step; `split` gives the elements of "
                    "even and of odd positions";
  return false;
}

bool Parser::parseIndexItem(IndexExpr &index) {
  IndexItem item;
  item.place = token.place;
  if (consumeIf(TokenKind::Colon)) {
    item.kind = IndexItem::Kind::Whole;
    if (!parseHighBound(index, item))
      return false;
  } else if (consumeIf(TokenKind::Underscore)) {
    item.kind = IndexItem::Kind::NewDimension;
  } else if (consumeIf(TokenKind::DotDot)) {
    item.kind = IndexItem::Kind::Any;
  } else {
    llvm::SmallVector<Expr *, 4> list;
    paired = at(TokenKind::LParen) ? &list : nullptr;
    item.value = parseExpr();
    if (!item.value)
      return false;
    if (list.empty() && consumeIf(TokenKind::Colon)) {
      item.kind = IndexItem::Kind::Part;
      item.low = std::exchange(item.value, nullptr);
      if (!addChild(&index, item.low) || !parseHighBound(index, item))
        return false;
      index.items.push_back(item);
      return true;
    }
    if (list.empty())
      list.push_back(item.value);
    else
      item.list = index.items.size() + 1;
    if (item.value != list.front()) {
      error(item.place) << "operators take no list of positions `(i, j)`; "
                           "apply them to the positions";
      return false;
    }
    for (Expr *position : list) {
      item.value = position;
      if (item.list)
        item.place = position->place;
      if (!addChild(&index, position))
        return false;
      index.items.push_back(item);
    }
    return true;
  }
  index.items.push_back(item);
  return true;
}

bool Parser::parseIndexItems(IndexExpr &index) {
  consumeIf(TokenKind::LBracket);
  while (!at(TokenKind::RBracket)) {
    if (!parseIndexItem(index))
      return false;
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RBracket, "or `,` after an index");
}

bool Parser::parseArguments(CallExpr &call) {
  consumeIf(TokenKind::LParen);
  while (!at(TokenKind::RParen)) {
    Argument argument;
    if (at(TokenKind::String) && !findForeignType(call.callee.text).empty())
      return reportExpected("an argument",
                            "infinity is written `inf`, and NaN `nan`");
    if (at(TokenKind::String) && call.callee.text == "check")
      return reportExpected("an argument",
                            "a check is written `check c, \"message\";`");
    if (at(TokenKind::LBracket) &&
        llvm::is_contained({"reshape", "permute", "broadcast"},
                           call.callee.text))
      return reportExpected("an argument", "extents and axes are arguments of "
                                           "their own, as in `reshape(x, 32, "
                                           "64)`");
    if (at(TokenKind::LBracket) || at(TokenKind::String))
      if (llvm::StringRef hint = findForeignName(call.callee.text);
          !hint.empty())
        return reportExpected("an argument", hint);
    argument.value = at(TokenKind::String) && takesText(call.callee.text)
                         ? parseText()
                         : parseExpr();
    if (!argument.value)
      return false;
    if (at(TokenKind::Equal)) {
      auto *name = llvm::dyn_cast<NameExpr>(argument.value);
      if (!name)
        return reportExpected("`)` or `,` after an argument", equality);
      argument.name = {name->name, name->place};
      consumeIf(TokenKind::Equal);
      argument.value = parseExpr();
      if (!argument.value)
        return false;
    }
    if (!addChild(&call, argument.value))
      return false;
    if (token.isWord("of")) {
      consumeIf(TokenKind::Identifier);
      argument.whole = parseExpr();
      if (!argument.whole || !addChild(&call, argument.whole))
        return false;
    }
    call.arguments.push_back(argument);
    if (!consumeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RParen, "or `,` after an argument");
}

Expr *Parser::parseText() {
  auto *expr = program.create<StringExpr>(token.place);
  expr->text = takeString();
  return expr;
}

Expr *Parser::parseNumber() {
  SourcePlace place = token.place;
  if (at(TokenKind::Float)) {
    auto *number = program.create<FloatExpr>(place);
    std::optional<double> value = array::readFloat(token.spelling);
    if (!value || *value == std::numeric_limits<double>::infinity()) {
      errorAtToken() << "the number " << describe(token) << " is out of range";
      return nullptr;
    }
    number->value = *value;
    consumeIf(TokenKind::Float);
    return number;
  }
  auto *number = program.create<IntegerExpr>(place);
  llvm::StringRef digits = token.spelling;
  bool hex = digits.consume_front_insensitive("0x");
  if (digits.getAsInteger(hex ? 16 : 10, number->value)) {
    auto *large = program.create<UnsignedExpr>(place);
    if (!digits.getAsInteger(hex ? 16 : 10, large->value)) {
      consumeIf(TokenKind::Integer);
      return large;
    }
    errorAtToken() << "the number " << describe(token)
                   << " is out of range; integers have 64 bits";
    return nullptr;
  }
  consumeIf(TokenKind::Integer);
  return number;
}

Expr *Parser::parsePrimary() {
  SourcePlace place = token.place;
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
    return parseNumber();
  case TokenKind::KwInf:
  case TokenKind::KwNan: {
    auto *number = program.create<FloatExpr>(place);
    number->value = at(TokenKind::KwInf)
                        ? std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::quiet_NaN();
    consumeIf(token.kind);
    return number;
  }
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    auto *boolean = program.create<BoolExpr>(place);
    boolean->value = at(TokenKind::KwTrue);
    consumeIf(token.kind);
    return boolean;
  }
  case TokenKind::Identifier: {
    Name name;
    parseName(name, "a name");
    if (!at(TokenKind::LParen)) {
      auto *expr = program.create<NameExpr>(place);
      expr->name = name.text;
      return expr;
    }
    auto *call = program.create<CallExpr>(place);
    call->callee = name;
    return parseArguments(*call) ? call : nullptr;
  }
  case TokenKind::LParen: {
    bool isAssertion = lastSpelling == "assert";
    consumeIf(TokenKind::LParen);
    auto *list = std::exchange(paired, nullptr);
    Expr *inner = parseExpr();
    if (list && inner && at(TokenKind::Comma)) {
      list->push_back(inner);
      while (consumeIf(TokenKind::Comma)) {
        list->push_back(parseExpr());
        if (!list->back())
          return nullptr;
      }
    }
    if (inner && at(TokenKind::Comma)) {
      SourcePlace comma = token.place;
      // The lexer reports the `=>` of `(a, b) => a + b`.
      while (at(TokenKind::Comma) || at(TokenKind::Identifier))
        advance();
      if (at(TokenKind::RParen))
        advance();
      if (!at(TokenKind::Error) && !overNested)
        error(comma) << "expected `)` to close the parenthesis, got `,`; "
                     << (isAssertion ? "an assertion is written `assert c, "
                                       "\"message\";`"
                                     : noLists);
      return nullptr;
    }
    if (!inner || !expect(TokenKind::RParen, "to close the parenthesis"))
      return nullptr;
    if (reportForeignCast(*inner))
      return nullptr;
    return inner;
  }
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::LBracket:
    reportExpected("an expression", noLists);
    return nullptr;
  case TokenKind::Pipe:
  case TokenKind::PipePipe:
  case TokenKind::KwFn:
    reportExpected("an expression", noLambdas);
    return nullptr;
  case TokenKind::KwVar:
    reportExpected("an expression",
                   "`var` declares a variable; the variance is "
                   "`sum(d * d, axis = 0) / N` of the distances `d` from the "
                   "mean");
    return nullptr;
  case TokenKind::Plus:
    reportExpected("an expression", "a number has no sign `+`");
    return nullptr;
  case TokenKind::Dot:
    reportExpected("an expression", "a number begins with a digit: `0.5`");
    return nullptr;
  case TokenKind::String:
    reportExpected(
        "an expression",
        "a string is allowed after `assert` and `check`, and in `asm(…)` and "
        "`print(…)`; a name has no quotes");
    return nullptr;
  default:
    reportExpected("an expression");
    return nullptr;
  }
}

bool Parser::reportForeignCast(const Expr &type) {
  auto *name = llvm::dyn_cast<NameExpr>(&type);
  bool isOperand = at(TokenKind::Identifier) || at(TokenKind::Integer) ||
                   at(TokenKind::Float) || at(TokenKind::LParen);
  if (!name || !isOperand)
    return false;
  llvm::StringRef known = findForeignType(name->name);
  if (known.empty() && !llvm::is_contained(getTypeNames(), name->name))
    return false;
  if (known.empty())
    known = name->name;
  error(name->place) << "a conversion is written after its operand: `x as "
                     << known << "`";
  return true;
}

Expr *Parser::parseIf() {
  Nesting nesting(*this);
  if (!nesting.check())
    return nullptr;
  auto *expr = program.create<IfExpr>(token.place);
  consumeIf(TokenKind::KwIf);
  expr->condition = parseExpr();
  if (!expr->condition || !addChild(expr, expr->condition) ||
      !parseValueBlock(expr->thenBlock))
    return nullptr;
  if (!expect(TokenKind::KwElse,
              "after the first value of an `if`; both are needed"))
    return nullptr;
  if (at(TokenKind::KwIf))
    expr->elseBlock.value = parseIf();
  else if (!parseValueBlock(expr->elseBlock))
    return nullptr;
  if (!expr->elseBlock.value || !addChild(expr, expr->thenBlock.value) ||
      !addChild(expr, expr->elseBlock.value))
    return nullptr;
  return expr;
}

bool Parser::parseValueBlock(ValueBlock &block) {
  if (at(TokenKind::Equal))
    return reportExpected("`{` before the value", equality);
  if (!expect(TokenKind::LBrace, "before the value"))
    return false;
  while (at(TokenKind::KwLet)) {
    Stmt *let = parseDeclareStatement();
    if (!let)
      return false;
    block.lets.push_back(let);
  }
  block.value = parseExpr();
  return block.value && expect(TokenKind::RBrace, "after the value");
}
