//===- Layout.h - Lines of pieces -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arranges pieces in lines. Line breaks of the source are kept, except at
// statements, at braces and in lines that are too long. The brackets around a
// line determine its indentation, so the layout is idempotent.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H
#define TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H

#include "Piece.h"

#include <string>

namespace tessera::frontend {

/// The pieces [begin, end) in one line, indented by `indent` columns.
struct Line {
  size_t begin, end;
  unsigned indent = 0;
  /// Whether an empty line precedes this line.
  bool afterBlank = false;
};

class Layout {
public:
  explicit Layout(Pieces pieces)
      : pieces(std::move(pieces)), padding(this->pieces.size()),
        columns(this->pieces.size()), lineOf(this->pieces.size()) {}

  /// Chooses the begin and the indentation of each line.
  void arrange();
  // Keep the alignment of the source (Columns.cpp).
  void alignAssignments();
  void alignComments();
  std::string print() const;

private:
  bool isHeaderBroken(size_t i) const;
  bool beginsLine(size_t i) const;
  bool isBlankBefore(size_t i) const;
  size_t findLineEnd(size_t begin) const;
  /// Returns the indentation of a line that begins with `i`.
  unsigned getIndent(size_t i) const;
  unsigned getContinuation(const Piece &piece) const;
  /// Checks whether the content of a bracket begins on the next line.
  bool isHanging(size_t opener) const;
  // Return the indentation of the code around and inside of a bracket.
  unsigned getBracketBase(size_t opener) const;
  unsigned getContentColumn(size_t opener) const;
  unsigned getLineIndent(size_t i) const { return lines[lineOf[i]].indent; }
  unsigned getBlockIndent(size_t opener) const;
  /// Assigns columns to the pieces of the last line; returns the end of its
  /// code.
  unsigned placeLine();

  /// Breaks a line (Breaks.cpp); returns false if there is no place.
  bool breakLine(const Line &line);
  bool expandBlock(const Line &line);
  bool breakHeader(const Line &line);
  bool breakExpression(const Line &line);
  bool breakAfterOpener(const Line &line);
  static constexpr unsigned noBreak = 1000;
  /// Returns the cost of a line break before `i`, relative to other places in
  /// the same brackets; `noBreak` if none is allowed.
  unsigned getBreakCost(size_t i) const;

  void alignGroup(const std::vector<size_t> &group);
  void alignCommentGroup(size_t begin, size_t end);

  Pieces pieces;
  std::vector<Line> lines;
  /// The number of optional spaces before each piece.
  std::vector<unsigned> padding;
  std::vector<unsigned> columns, lineOf;
};

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H
