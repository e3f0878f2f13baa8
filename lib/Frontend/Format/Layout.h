//===- Layout.h - Lines of pieces -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts pieces into lines. Where a line begins is the writer's choice but for
// statements, braces and what would be too long. How far a line is indented
// follows from the brackets around it, so laying out a layout changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H
#define TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H

#include "Piece.h"

#include <string>

namespace tessera::frontend {

/// The pieces from `begin` to before `end`, from column `indent` on.
struct Line {
  size_t begin, end;
  unsigned indent = 0;
  /// Whether an empty line stands before it.
  bool afterBlank = false;
};

class Layout {
public:
  explicit Layout(Pieces pieces)
      : pieces(std::move(pieces)), padding(this->pieces.size()),
        columns(this->pieces.size()), lineOf(this->pieces.size()) {}

  /// Decides where lines begin and how far they are indented.
  void arrange();
  /// Lines up what the writer has lined up (Columns.cpp).
  void alignAssignments();
  void alignComments();
  std::string print() const;

private:
  bool isHeaderBroken(size_t i) const;
  bool beginsLine(size_t i) const;
  bool isBlankBefore(size_t i) const;
  size_t findLineEnd(size_t begin) const;
  /// The column at which a line that begins with `i` begins.
  unsigned getIndent(size_t i) const;
  unsigned getContinuation(const Piece &piece) const;
  /// Whether what is inside of a bracket begins on the next line.
  bool isHanging(size_t opener) const;
  /// That of the code around a bracket, and of what is inside of it.
  unsigned getBracketBase(size_t opener) const;
  unsigned getContentColumn(size_t opener) const;
  unsigned getLineIndent(size_t i) const { return lines[lineOf[i]].indent; }
  unsigned getBlockIndent(size_t opener) const;
  /// Gives the pieces of the last line their columns; where its code ends.
  unsigned placeLine();

  /// Makes a line shorter, where it can be (Breaks.cpp): false if it cannot.
  bool breakLine(const Line &line);
  bool expandBlock(const Line &line);
  bool breakHeader(const Line &line);
  bool breakExpression(const Line &line);
  bool breakAfterOpener(const Line &line);
  static constexpr unsigned noBreak = 1000;
  /// What it costs to begin a line with `i`, among the other places in the same
  /// brackets; `noBreak` if none may begin there.
  unsigned getBreakCost(size_t i) const;

  void alignGroup(const std::vector<size_t> &group);
  void alignCommentGroup(size_t begin, size_t end);

  Pieces pieces;
  std::vector<Line> lines;
  /// The spaces before a piece beyond those that must be.
  std::vector<unsigned> padding;
  std::vector<unsigned> columns, lineOf;
};

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_FORMAT_LAYOUT_H
