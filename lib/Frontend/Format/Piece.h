//===- Piece.h - Tokens and comments of a source ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The units that the formatter arranges: the tokens of a source and the
// comments between them. Each piece has the white space before it and the
// structure around it. Pieces refer to each other by number.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_FORMAT_PIECE_H
#define TESSERA_LIB_FRONTEND_FORMAT_PIECE_H

#include "Parser/Lexer.h"

#include <vector>

namespace tessera::frontend {

/// The maximum width of a line that can be broken.
inline constexpr unsigned maxLineWidth = 110;

/// The role of a piece, where the kind of its token does not determine it.
enum class PieceRole : uint8_t {
  Plain,
  Comment,
  /// `-` and `!` of one operand.
  Unary,
  /// `<` and `>` around compile-time parameters.
  Angle,
  /// `grid`, `schedule`, `numerics`.
  Clause,
  /// `check` and `while` at the beginning of a statement.
  StatementWord,
  /// `{` and `}` of statements, and those around a value.
  Block,
  Value,
  /// `{` and `}` around the values of a compile-time parameter.
  Set,
  /// `else` between statements.
  StatementElse,
  /// `:` in an index.
  IndexColon,
  /// `=`, `+=` and so on of a statement.
  Assignment
};

struct Piece {
  static constexpr int none = -1;

  TokenKind kind = TokenKind::EndOfFile;
  llvm::StringRef text;
  PieceRole role = PieceRole::Plain;

  /// The number of line breaks before the piece in the source, and its column
  /// there, from 0, in characters.
  unsigned newlines = 0;
  unsigned column = 0;
  /// The width of the white space before the piece in its line.
  unsigned gap = 0;
  /// The number of characters.
  unsigned width = 0;

  /// The innermost open bracket around the piece, and the partner of a bracket.
  int open = none;
  int match = none;
  /// The first piece of the enclosing statement or declaration.
  int statement = none;
  /// Whether a statement, a declaration or a separate comment begins here.
  bool beginsStatement = false;
  /// Whether the content of a `{` has lines of its own.
  bool isExpanded = false;
  /// Whether the formatter has decided that a line begins here.
  bool isBroken = false;

  bool is(TokenKind other) const { return kind == other; }
  bool isComment() const { return role == PieceRole::Comment; }
  /// Checks for a comment after the code of its line.
  bool isTrailingComment() const { return isComment() && newlines == 0; }
  bool isBrace() const {
    return role == PieceRole::Block || role == PieceRole::Value;
  }
  bool isOpener() const;
  bool isCloser() const;
  /// Checks whether an operand can end here, so that a following `-` is binary.
  bool endsOperand() const;
};

using Pieces = std::vector<Piece>;

/// Counts the characters of UTF-8 text.
unsigned countCharacters(llvm::StringRef text);

/// Returns the tokens and comments of a source that the parser has accepted.
Pieces readPieces(llvm::StringRef source, Diagnostics &diagnostics);

/// Fills in the structure: brackets, statements, roles.
void findStructure(Pieces &pieces);

/// Checks whether a space separates the two pieces in one line.
bool needsSpace(const Pieces &pieces, size_t left, size_t right);

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_FORMAT_PIECE_H
