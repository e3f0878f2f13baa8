//===- Layout.cpp - Lines of pieces -----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the begin and the indentation of lines:
//
// - a statement: two columns for each block around it;
// - the content of brackets: the column after the bracket, or four columns if
//   the bracket ends its line;
// - other continuations: the column of the source if it is right of the
//   statement, else four columns.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

using namespace tessera::frontend;

static constexpr unsigned blockStep = 2, continuationStep = 4;

/// Checks whether the part `i` of a header begins a line: a clause after
/// parameters of several lines, or the body after such a clause.
bool Layout::isHeaderBroken(size_t i) const {
  bool isBody = pieces[i].is(TokenKind::LBrace);
  size_t begin = pieces[i].statement;
  while (--i > begin)
    if ((!isBody || pieces[i].role == PieceRole::Clause) && beginsLine(i))
      return true;
  return false;
}

bool Layout::beginsLine(size_t i) const {
  const Piece &piece = pieces[i];
  if (i == 0 || piece.isBroken || pieces[i - 1].isComment())
    return true;
  if (piece.isComment())
    return !piece.isTrailingComment();
  bool isInside = piece.open != Piece::none;
  if (piece.beginsStatement)
    return !isInside || pieces[piece.open].isExpanded;
  if (piece.isBrace() && piece.isCloser())
    return pieces[piece.match].isExpanded;
  if (piece.is(TokenKind::LBrace))
    // Only the body of a declaration may begin a line.
    return !isInside && (piece.newlines != 0 || isHeaderBroken(i));
  if (piece.role == PieceRole::Clause)
    return piece.newlines != 0 || isHeaderBroken(i);
  if (piece.newlines == 0)
    return false;
  if (piece.isCloser())
    return isHanging(piece.match);
  if (pieces[i - 1].isOpener())
    return true;
  // After an operator, or before one.
  return getBreakCost(i) != noBreak ||
         (!piece.is(TokenKind::Comma) && getBreakCost(i + 1) < noBreak - 1);
}

/// Keeps one empty line between statements and between declarations.
bool Layout::isBlankBefore(size_t i) const {
  const Piece &piece = pieces[i];
  bool isFirst =
      i == 0 || (pieces[i - 1].isBrace() && pieces[i - 1].isOpener());
  return piece.newlines >= 2 && !isFirst &&
         (piece.beginsStatement || piece.isComment());
}

size_t Layout::findLineEnd(size_t begin) const {
  size_t end = begin + 1;
  while (end < pieces.size() && !beginsLine(end))
    ++end;
  return end;
}

bool Layout::isHanging(size_t opener) const {
  size_t first = opener + 1;
  return pieces[opener].match != static_cast<int>(first) &&
         (beginsLine(first) || pieces[first].isComment());
}

unsigned Layout::getBracketBase(size_t opener) const {
  const Piece &piece = pieces[opener];
  if (piece.open != Piece::none && !pieces[piece.open].isBrace())
    return getContentColumn(piece.open);
  return getLineIndent(piece.statement);
}

unsigned Layout::getContentColumn(size_t opener) const {
  return isHanging(opener) ? getBracketBase(opener) + continuationStep
                           : columns[opener] + 1;
}

unsigned Layout::getBlockIndent(size_t opener) const {
  const Piece &piece = pieces[opener];
  return piece.role == PieceRole::Block ? getLineIndent(piece.statement)
                                        : getLineIndent(opener);
}

unsigned Layout::getContinuation(const Piece &piece) const {
  const Piece &statement = pieces[piece.statement];
  unsigned base = getLineIndent(piece.statement);
  // How far the line was indented, not the first piece in it that is code.
  unsigned before = statement.newlines != 0 ? statement.column : 0;
  bool isChosen = piece.newlines != 0 && statement.newlines != 0 &&
                  piece.column >= before + blockStep &&
                  piece.column - before <= maxLineWidth / 2;
  return base + (isChosen ? piece.column - before : continuationStep);
}

unsigned Layout::getIndent(size_t i) const {
  const Piece &piece = pieces[i];
  bool isInside = piece.open != Piece::none;
  if (piece.isCloser()) {
    if (piece.isBrace())
      return getBlockIndent(piece.match);
    return isHanging(piece.match) ? getBracketBase(piece.match)
                                  : columns[piece.match];
  }
  if (piece.beginsStatement)
    return isInside ? getBlockIndent(piece.open) + blockStep : 0;
  if (isInside && !pieces[piece.open].isBrace())
    return getContentColumn(piece.open);
  // An `else`, and comments before it.
  size_t token = i;
  while (pieces[token].isComment() && token + 1 < pieces.size())
    ++token;
  if (pieces[token].role == PieceRole::StatementElse)
    return getLineIndent(piece.statement);
  if (!isInside && piece.role == PieceRole::Block)
    return 0;
  if (!isInside && (piece.role == PieceRole::Clause || piece.isComment()))
    return blockStep;
  return getContinuation(piece);
}

unsigned Layout::placeLine() {
  const Line &line = lines.back();
  unsigned column = line.indent, codeEnd = column;
  for (size_t i = line.begin; i < line.end; ++i) {
    if (i != line.begin)
      column += needsSpace(pieces, i - 1, i) + padding[i];
    columns[i] = column;
    lineOf[i] = lines.size() - 1;
    column += pieces[i].width;
    if (!pieces[i].isComment())
      codeEnd = column;
  }
  return codeEnd;
}

void Layout::arrange() {
  lines.clear();
  for (size_t i = 0; i < pieces.size(); i = lines.back().end) {
    lines.push_back({i, findLineEnd(i), 0, isBlankBefore(i)});
    lineOf[i] = lines.size() - 1;
    lines.back().indent = getIndent(i);
    while (placeLine() > maxLineWidth && breakLine(lines.back()))
      lines.back().end = findLineEnd(i);
  }
}

std::string Layout::print() const {
  std::string text;
  for (const Line &line : lines) {
    if (line.afterBlank)
      text += '\n';
    unsigned column = 0;
    for (size_t i = line.begin; i < line.end; ++i) {
      text.append(columns[i] - column, ' ');
      text += pieces[i].text;
      column = columns[i] + pieces[i].width;
    }
    text += '\n';
  }
  return text;
}
