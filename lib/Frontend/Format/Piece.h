//===- Piece.h - Tokens and comments of a source ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the formatter arranges: the tokens of a source and the comments between
// them, each with what it needs to know of the white space that was there and
// of the structure around. Pieces refer to each other by their number.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_FORMAT_PIECE_H
#define TESSERA_LIB_FRONTEND_FORMAT_PIECE_H

#include "Parser/Lexer.h"

#include <vector>

namespace tessera::frontend {

/// The longest line that the formatter makes, where it has a choice.
inline constexpr unsigned maxLineWidth = 110;

/// What a piece is, as far as its kind of token does not say it.
enum class PieceRole : uint8_t {
  Plain,
  Comment,
  /// `-` and `!` of one operand.
  Unary,
  /// `<` and `>` around compile-time parameters.
  Angle,
  /// `grid`, `schedule`, `numerics`.
  Clause,
  /// `{` and `}` of statements, and those around a value.
  Block,
  Value,
  /// `else` between statements.
  StatementElse,
  /// `=`, `+=` and so on of a statement.
  Assignment
};

struct Piece {
  static constexpr int none = -1;

  TokenKind kind = TokenKind::EndOfFile;
  llvm::StringRef text;
  PieceRole role = PieceRole::Plain;

  /// The line breaks before it in the source, and its column there, from 0, in
  /// characters.
  unsigned newlines = 0;
  unsigned column = 0;
  /// The white space before it in its line.
  unsigned gap = 0;
  /// Its characters.
  unsigned width = 0;

  /// The innermost bracket around it, and the other one of a bracket.
  int open = none;
  int match = none;
  /// The first piece of the statement or declaration that it belongs to.
  int statement = none;
  /// Whether a statement, a declaration or a comment between those begins here.
  bool beginsStatement = false;
  /// Of `{`: whether what is inside stands on lines of its own.
  bool isExpanded = false;
  /// Whether the formatter has decided that a line begins here.
  bool isBroken = false;

  bool is(TokenKind other) const { return kind == other; }
  bool isComment() const { return role == PieceRole::Comment; }
  /// A comment after the code of its line.
  bool isTrailingComment() const { return isComment() && newlines == 0; }
  bool isBrace() const {
    return role == PieceRole::Block || role == PieceRole::Value;
  }
  bool isOpener() const;
  bool isCloser() const;
  /// Whether an operand can end here, so that `-` after it takes two.
  bool endsOperand() const;
};

using Pieces = std::vector<Piece>;

/// The characters of UTF-8 text.
unsigned countCharacters(llvm::StringRef text);

/// The tokens and comments of a source that the parser has accepted.
Pieces readPieces(llvm::StringRef source, Diagnostics &diagnostics);

/// Fills in the structure: brackets, statements, roles.
void findStructure(Pieces &pieces);

/// Whether a space stands between the two if they are in one line.
bool needsSpace(const Pieces &pieces, size_t left, size_t right);

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_FORMAT_PIECE_H
