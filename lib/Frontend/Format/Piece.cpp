//===- Piece.cpp - Tokens and comments of a source --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads pieces and decides which of them a space separates. The lexer drops
// comments; this file finds them in the gaps between tokens.
//
//===----------------------------------------------------------------------===//

#include "Piece.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::frontend;

unsigned tessera::frontend::countCharacters(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

bool Piece::isOpener() const {
  return kind == TokenKind::LParen || kind == TokenKind::LBracket ||
         kind == TokenKind::LBrace ||
         (kind == TokenKind::Less && role == PieceRole::Angle);
}

bool Piece::isCloser() const {
  return kind == TokenKind::RParen || kind == TokenKind::RBracket ||
         kind == TokenKind::RBrace ||
         (kind == TokenKind::Greater && role == PieceRole::Angle);
}

bool Piece::endsOperand() const {
  switch (kind) {
  case TokenKind::Identifier:
    return role != PieceRole::StatementWord;
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwInf:
  case TokenKind::KwNan:
  case TokenKind::Underscore:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    return true;
  default:
    return false;
  }
}

namespace {
/// Tracks the position in the source, which each piece records.
class PieceReader {
public:
  explicit PieceReader(Pieces &pieces) : pieces(pieces) {}

  /// Reads white space and comments.
  void readGap(llvm::StringRef gap) {
    while (!gap.empty()) {
      if (gap.starts_with("//")) {
        llvm::StringRef comment =
            gap.take_until([](char c) { return c == '\n'; });
        add(TokenKind::EndOfFile, comment.rtrim(), PieceRole::Comment);
        gap = gap.drop_front(comment.size());
        continue;
      }
      if (gap.front() == '\n') {
        ++newlines;
        column = this->gap = 0;
      } else {
        ++column;
        ++this->gap;
      }
      gap = gap.drop_front();
    }
  }

  void add(TokenKind kind, llvm::StringRef text, PieceRole role) {
    Piece piece;
    piece.kind = kind;
    piece.text = text;
    piece.role = role;
    piece.newlines = pieces.empty() ? std::max(newlines, 1u) : newlines;
    piece.column = column;
    piece.gap = gap;
    piece.width = countCharacters(text);
    pieces.push_back(piece);
    column += piece.width;
    newlines = gap = 0;
  }

private:
  Pieces &pieces;
  unsigned newlines = 0, column = 0, gap = 0;
};
} // namespace

Pieces tessera::frontend::readPieces(llvm::StringRef source,
                                     Diagnostics &diagnostics) {
  Pieces pieces;
  PieceReader reader(pieces);
  Lexer lexer(source, diagnostics);
  source.consume_front("\xEF\xBB\xBF");
  const char *last = source.begin();
  for (;;) {
    Token token = lexer.next();
    const char *begin = token.spelling.begin();
    reader.readGap(llvm::StringRef(last, begin - last));
    if (token.is(TokenKind::EndOfFile))
      return pieces;
    reader.add(token.kind, token.spelling, PieceRole::Plain);
    last = token.spelling.end();
  }
}

bool tessera::frontend::needsSpace(const Pieces &pieces, size_t left,
                                   size_t right) {
  const Piece &a = pieces[left], &b = pieces[right];
  // No space follows these pieces.
  if (a.role == PieceRole::Unary || a.role == PieceRole::IndexColon ||
      a.is(TokenKind::LParen) || a.is(TokenKind::LBracket) ||
      a.is(TokenKind::Dot) ||
      (a.role == PieceRole::Set && a.is(TokenKind::LBrace)) ||
      (a.role == PieceRole::Angle && a.is(TokenKind::Less)))
    return false;
  switch (b.kind) {
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::Comma:
  case TokenKind::Semicolon:
  case TokenKind::Dot:
    return false;
  case TokenKind::Colon:
    // A `:` in an index denotes a dimension.
    return a.is(TokenKind::Comma);
  case TokenKind::LBracket:
    return !a.endsOperand();
  case TokenKind::LParen:
    return a.role != PieceRole::Angle &&
           (!a.is(TokenKind::Identifier) || a.role == PieceRole::Clause ||
            a.role == PieceRole::StatementWord);
  case TokenKind::RBrace:
    return b.role != PieceRole::Set && b.match != static_cast<int>(left);
  default:
    return b.role != PieceRole::Angle;
  }
}
