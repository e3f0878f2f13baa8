//===- Token.cpp - Names and precedence of tokens ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of tokens in "expected X, got Y", and the precedence of operators.
//
//===----------------------------------------------------------------------===//

#include "Token.h"

using namespace tessera::frontend;

llvm::StringRef tessera::frontend::describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::Error:
    return "an invalid token";
  case TokenKind::Identifier:
    return "a name";
  case TokenKind::Integer:
    return "an integer";
  case TokenKind::Float:
    return "a number";
  case TokenKind::String:
    return "a string";
  case TokenKind::KwAs:
    return "`as`";
  case TokenKind::KwAssert:
    return "`assert`";
  case TokenKind::KwElse:
    return "`else`";
  case TokenKind::KwFalse:
    return "`false`";
  case TokenKind::KwFn:
    return "`fn`";
  case TokenKind::KwFor:
    return "`for`";
  case TokenKind::KwIf:
    return "`if`";
  case TokenKind::KwIn:
    return "`in`";
  case TokenKind::KwInf:
    return "`inf`";
  case TokenKind::KwKernel:
    return "`kernel`";
  case TokenKind::KwLet:
    return "`let`";
  case TokenKind::KwNan:
    return "`nan`";
  case TokenKind::KwReturn:
    return "`return`";
  case TokenKind::KwTrue:
    return "`true`";
  case TokenKind::KwVar:
    return "`var`";
  case TokenKind::LParen:
    return "`(`";
  case TokenKind::RParen:
    return "`)`";
  case TokenKind::LBracket:
    return "`[`";
  case TokenKind::RBracket:
    return "`]`";
  case TokenKind::LBrace:
    return "`{`";
  case TokenKind::RBrace:
    return "`}`";
  case TokenKind::Comma:
    return "`,`";
  case TokenKind::Semicolon:
    return "`;`";
  case TokenKind::Colon:
    return "`:`";
  case TokenKind::Dot:
    return "`.`";
  case TokenKind::DotDot:
    return "`..`";
  case TokenKind::Underscore:
    return "`_`";
  case TokenKind::Equal:
    return "`=`";
  case TokenKind::PlusEqual:
    return "`+=`";
  case TokenKind::MinusEqual:
    return "`-=`";
  case TokenKind::StarEqual:
    return "`*=`";
  case TokenKind::SlashEqual:
    return "`/=`";
  case TokenKind::Plus:
    return "`+`";
  case TokenKind::Minus:
    return "`-`";
  case TokenKind::Star:
    return "`*`";
  case TokenKind::Slash:
    return "`/`";
  case TokenKind::Percent:
    return "`%`";
  case TokenKind::At:
    return "`@`";
  case TokenKind::Exclaim:
    return "`!`";
  case TokenKind::EqualEqual:
    return "`==`";
  case TokenKind::ExclaimEqual:
    return "`!=`";
  case TokenKind::Less:
    return "`<`";
  case TokenKind::LessEqual:
    return "`<=`";
  case TokenKind::Greater:
    return "`>`";
  case TokenKind::GreaterEqual:
    return "`>=`";
  case TokenKind::AmpAmp:
    return "`&&`";
  case TokenKind::PipePipe:
    return "`||`";
  case TokenKind::Amp:
    return "`&`";
  case TokenKind::Pipe:
    return "`|`";
  case TokenKind::Caret:
    return "`^`";
  case TokenKind::Tilde:
    return "`~`";
  case TokenKind::LessLess:
    return "`<<`";
  case TokenKind::GreaterGreater:
    return "`>>`";
  }
  return "a token";
}

std::string tessera::frontend::describe(const Token &token) {
  switch (token.kind) {
  case TokenKind::Identifier:
  case TokenKind::Integer:
  case TokenKind::Float:
    // A name may be megabytes long; a message is not.
    if (token.spelling.size() > 40)
      return ("`" + token.spelling.take_front(37) + "...`").str();
    return ("`" + token.spelling + "`").str();
  default:
    return describe(token.kind).str();
  }
}

unsigned tessera::frontend::getPrecedence(TokenKind kind) {
  switch (kind) {
  case TokenKind::PipePipe:
    return 1;
  case TokenKind::AmpAmp:
    return 2;
  case TokenKind::EqualEqual:
  case TokenKind::ExclaimEqual:
  case TokenKind::Less:
  case TokenKind::LessEqual:
  case TokenKind::Greater:
  case TokenKind::GreaterEqual:
    return 3;
  case TokenKind::Pipe:
    return 4;
  case TokenKind::Caret:
    return 5;
  case TokenKind::Amp:
    return 6;
  case TokenKind::LessLess:
  case TokenKind::GreaterGreater:
    return 7;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return 8;
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
    return 9;
  case TokenKind::At:
    return 10;
  default:
    return 0;
  }
}
