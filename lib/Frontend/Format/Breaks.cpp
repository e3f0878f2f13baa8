//===- Breaks.cpp - Lines that are too long ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Breaks a line that is too long at the first of these places that exists:
// - blocks and clauses of a kernel;
// - the outermost comma or operator that leaves a line which fits;
// - the first bracket.
// A line without such a place stays long.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

using namespace tessera::frontend;

bool Layout::breakLine(const Line &line) {
  return expandBlock(line) || breakHeader(line) || breakExpression(line) ||
         breakAfterOpener(line);
}

bool Layout::expandBlock(const Line &line) {
  for (size_t i = line.begin; i < line.end; ++i) {
    Piece &piece = pieces[i];
    if (piece.role != PieceRole::Block || !piece.isOpener() ||
        piece.isExpanded || piece.match == static_cast<int>(i + 1))
      continue;
    piece.isExpanded = true;
    return true;
  }
  return false;
}

bool Layout::breakHeader(const Line &line) {
  if (pieces[line.begin].open != Piece::none)
    return false;
  bool found = false;
  int parameters = Piece::none;
  for (size_t i = line.begin + 1; i < line.end; ++i) {
    Piece &piece = pieces[i];
    if (piece.open != Piece::none)
      continue;
    // The clauses and the body begin lines of their own.
    if (piece.role == PieceRole::Clause || piece.role == PieceRole::Block)
      found = piece.isBroken = true;
    if (piece.is(TokenKind::LParen) && pieces[i - 1].role == PieceRole::Angle)
      parameters = i;
  }
  if (found || parameters == Piece::none)
    return found;
  // After compile-time parameters the others begin on the next line.
  size_t first = parameters + 1;
  if (first >= line.end || columns[parameters] >= maxLineWidth)
    return false;
  pieces[first].isBroken = true;
  return true;
}

unsigned Layout::getBreakCost(size_t i) const {
  const Piece &last = pieces[i - 1];
  if (pieces[i].isComment() || pieces[i].isCloser())
    return noBreak;
  if (last.is(TokenKind::Comma))
    return 0;
  if (last.is(TokenKind::RBrace) && pieces[i].is(TokenKind::KwElse) &&
      pieces[i].role == PieceRole::Plain)
    return 1;
  // A break after an operator that binds loosely costs less.
  unsigned precedence = getPrecedence(last.kind);
  if (precedence && last.role == PieceRole::Plain)
    return 1 + precedence;
  // It parts a value from its name.
  return last.role == PieceRole::Assignment ? noBreak - 1 : noBreak;
}

bool Layout::breakExpression(const Line &line) {
  // Tearing a bracket apart costs more than any operator.
  static constexpr int bracketCost = 12;
  size_t best = 0;
  int depth = 0, bestCost = 0;
  for (size_t i = line.begin + 1; i < line.end; ++i) {
    const Piece &last = pieces[i - 1];
    depth += last.isOpener() ? 1 : last.isCloser() ? -1 : 0;
    if (columns[i - 1] + last.width > maxLineWidth)
      break;
    unsigned itself = getBreakCost(i);
    int cost = depth * bracketCost + static_cast<int>(itself);
    if (itself == noBreak || (best && cost > bestCost))
      continue;
    best = i;
    bestCost = cost;
  }
  if (best)
    pieces[best].isBroken = true;
  return best != 0;
}

bool Layout::breakAfterOpener(const Line &line) {
  for (size_t i = line.begin; i + 1 < line.end; ++i) {
    Piece &piece = pieces[i];
    if (!piece.isOpener() || piece.match == static_cast<int>(i + 1))
      continue;
    if (piece.isBrace() && !piece.isExpanded)
      return piece.isExpanded = true;
    if (piece.isBrace() || getBracketBase(i) + 4 >= columns[i] + 1)
      continue;
    pieces[i + 1].isBroken = true;
    return true;
  }
  return false;
}
