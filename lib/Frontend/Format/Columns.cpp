//===- Columns.cpp - Alignment of columns -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps alignment of the source:
//
// - the aligned `=` of assignments in one block, without an empty line between
//   them, move to the first column that fits all of them;
// - aligned comments after code in adjacent lines stay aligned, in their old
//   column if they fit.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace tessera::frontend;

void Layout::alignGroup(const std::vector<size_t> &group) {
  bool isAligned = false;
  unsigned target = 0;
  for (size_t assignment : group) {
    isAligned |= pieces[assignment].gap > 1;
    target = std::max(target, columns[assignment] + pieces[assignment].width);
  }
  if (!isAligned)
    return;
  for (size_t assignment : group)
    padding[assignment] =
        target - columns[assignment] - pieces[assignment].width;
}

void Layout::alignAssignments() {
  // By block and column in the source.
  std::map<int, std::map<unsigned, std::vector<size_t>>> groups;
  auto finish = [&](int block) {
    for (auto &[column, group] : groups[block])
      alignGroup(group);
    groups.erase(block);
  };
  for (const Line &line : lines) {
    const Piece &first = pieces[line.begin];
    if (line.afterBlank)
      finish(first.open);
    if (!first.beginsStatement || first.newlines == 0)
      continue;
    for (size_t i = line.begin + 1; i < line.end; ++i) {
      const Piece &piece = pieces[i];
      if (piece.newlines != 0)
        break;
      if (piece.role != PieceRole::Assignment || piece.open != first.open)
        continue;
      groups[first.open][piece.column + piece.width].push_back(i);
      break;
    }
  }
  while (!groups.empty())
    finish(groups.begin()->first);
  arrange();
}

void Layout::alignCommentGroup(size_t begin, size_t end) {
  const Line &firstLine = lines[begin];
  const Piece &first = pieces[firstLine.begin];
  // Comments move with the code.
  unsigned column = pieces[firstLine.end - 1].column + firstLine.indent;
  column -= std::min(column, first.newlines ? first.column : firstLine.indent);
  unsigned codeEnd = 0, commentWidth = 0;
  for (size_t i = begin; i < end; ++i) {
    size_t comment = lines[i].end - 1;
    codeEnd =
        std::max(codeEnd, columns[comment - 1] + pieces[comment - 1].width);
    commentWidth = std::max(commentWidth, pieces[comment].width);
  }
  if (column + commentWidth > maxLineWidth)
    column = maxLineWidth - std::min(maxLineWidth, commentWidth);
  column = std::max(column, codeEnd + 1);
  for (size_t i = begin; i < end; ++i)
    columns[lines[i].end - 1] = column;
}

void Layout::alignComments() {
  auto hasComment = [&](const Line &line) {
    return line.end - line.begin > 1 && pieces[line.end - 1].isComment();
  };
  for (size_t i = 0; i < lines.size();) {
    size_t begin = i++;
    if (!hasComment(lines[begin]))
      continue;
    unsigned column = pieces[lines[begin].end - 1].column;
    while (i < lines.size() && hasComment(lines[i]) && !lines[i].afterBlank &&
           pieces[lines[i].end - 1].column == column)
      ++i;
    alignCommentGroup(begin, i);
  }
}
