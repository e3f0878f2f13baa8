//===- Structure.cpp - Brackets and statements among pieces -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the pieces with a stack of open brackets. The source is known
// to parse, so a closing bracket closes the innermost open one. A `{` begins
// the body of a declaration, the block of an `if` or `for`, a value of an `if`
// expression, or after `in` the values of a compile-time parameter.
//
//===----------------------------------------------------------------------===//

#include "Piece.h"

#include "llvm/ADT/SmallVector.h"

using namespace tessera::frontend;

namespace {
class StructureFinder {
public:
  explicit StructureFinder(Pieces &pieces) : pieces(pieces) {}

  void run() {
    frames.push_back({FrameKind::TopLevel});
    for (size_t i = 0; i < pieces.size(); ++i) {
      visit(i);
      if (!pieces[i].isComment())
        previous = i;
    }
    for (size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].isBrace() && pieces[i].isOpener())
        pieces[i].isExpanded = isExpanded(i);
  }

private:
  enum class FrameKind : uint8_t { TopLevel, Header, Bracket, Block, Value };
  struct Frame {
    FrameKind kind;
    int opener = Piece::none;
    /// The current statement.
    int statement = Piece::none;
    /// Whether a statement begins with the next token.
    bool atStart = true;
    /// Whether a block of statements has just ended here.
    bool afterBlock = false;
    /// The number of pending `{` of values.
    unsigned pendingValues = 0;
  };

  bool isIn(FrameKind kind) const { return frames.back().kind == kind; }
  bool isAmongStatements() const {
    return isIn(FrameKind::Block) || isIn(FrameKind::Value);
  }
  /// Returns the first token after the piece `i`.
  TokenKind peekAfter(size_t i) const {
    do
      ++i;
    while (i < pieces.size() && pieces[i].isComment());
    return i < pieces.size() ? pieces[i].kind : TokenKind::EndOfFile;
  }

  /// Checks whether a name begins a statement of this name and is no call.
  bool isStatementWord(size_t i) const;
  void visit(size_t i);
  void visitComment(size_t i);
  void begin(size_t i);
  void classify(size_t i);
  void open(size_t i);
  void close(size_t i);
  bool isExpanded(size_t opener) const;

  Pieces &pieces;
  llvm::SmallVector<Frame> frames;
  /// The last token.
  int previous = Piece::none;
};
} // namespace

void StructureFinder::visit(size_t i) {
  Piece &piece = pieces[i];
  if (piece.isComment())
    return visitComment(i);
  int opener = frames.back().opener;
  // Between `if` and its `{`, `>` compares.
  if (piece.is(TokenKind::Greater) && isIn(FrameKind::Bracket) &&
      pieces[opener].is(TokenKind::Less) && !frames.back().pendingValues)
    piece.role = PieceRole::Angle;
  if (piece.isCloser())
    return close(i);
  if (frames.back().atStart)
    begin(i);
  piece.open = frames.back().opener;
  piece.statement = frames.back().statement;
  classify(i);
  if (piece.isOpener())
    open(i);
}

void StructureFinder::visitComment(size_t i) {
  Piece &piece = pieces[i];
  const Frame &frame = frames.back();
  piece.open = frame.opener;
  piece.beginsStatement = !piece.isTrailingComment() && frame.atStart;
  piece.statement =
      piece.beginsStatement ? static_cast<int>(i) : frame.statement;
}

void StructureFinder::begin(size_t i) {
  if (isIn(FrameKind::TopLevel))
    frames.push_back({FrameKind::Header});
  Frame &frame = frames.back();
  frame.statement = i;
  frame.atStart = frame.afterBlock = false;
  pieces[i].beginsStatement = true;
}

bool StructureFinder::isStatementWord(size_t i) const {
  bool isAfterDomain = pieces[i].text == "while" && previous != Piece::none &&
                       pieces[previous].is(TokenKind::RParen);
  if (!isAfterDomain &&
      (!pieces[i].beginsStatement ||
       (pieces[i].text != "check" && pieces[i].text != "while")))
    return false;
  switch (peekAfter(i)) {
  case TokenKind::Identifier:
  case TokenKind::Integer:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwIf:
  case TokenKind::Minus:
  case TokenKind::Exclaim:
  case TokenKind::Tilde:
    return true;
  case TokenKind::LParen:
    break;
  default:
    return false;
  }
  unsigned depth = 0;
  do {
    ++i;
    depth += pieces[i].is(TokenKind::LParen);
    depth -= pieces[i].is(TokenKind::RParen);
  } while (depth != 0 || !pieces[i].is(TokenKind::RParen));
  return peekAfter(i) != TokenKind::Semicolon;
}

void StructureFinder::classify(size_t i) {
  Piece &piece = pieces[i];
  Frame &frame = frames.back();
  bool afterOperand = previous != Piece::none && pieces[previous].endsOperand();
  switch (piece.kind) {
  case TokenKind::Minus:
  case TokenKind::Exclaim:
  case TokenKind::Tilde:
    if (!afterOperand)
      piece.role = PieceRole::Unary;
    return;
  case TokenKind::Less:
    if (isIn(FrameKind::Header))
      piece.role = PieceRole::Angle;
    return;
  case TokenKind::Colon:
    if (isIn(FrameKind::Bracket) &&
        pieces[frame.opener].is(TokenKind::LBracket))
      piece.role = PieceRole::IndexColon;
    return;
  case TokenKind::Identifier:
    if (isIn(FrameKind::Header) && afterOperand &&
        pieces[previous].is(TokenKind::RParen))
      piece.role = PieceRole::Clause;
    if (isStatementWord(i))
      piece.role = PieceRole::StatementWord;
    return;
  case TokenKind::Equal:
  case TokenKind::PlusEqual:
  case TokenKind::MinusEqual:
  case TokenKind::StarEqual:
  case TokenKind::SlashEqual:
    if (isAmongStatements())
      piece.role = PieceRole::Assignment;
    return;
  case TokenKind::Semicolon:
    frame.atStart = true;
    // The end of a `use`.
    if (isIn(FrameKind::Header))
      frames.pop_back();
    return;
  case TokenKind::KwElse:
    if (frame.afterBlock)
      piece.role = PieceRole::StatementElse;
    else if (peekAfter(i) != TokenKind::KwIf)
      ++frame.pendingValues;
    return;
  case TokenKind::KwIf: {
    bool isStatement = isIn(FrameKind::Block) &&
                       (piece.beginsStatement ||
                        pieces[previous].role == PieceRole::StatementElse);
    // After an operand it is the condition of a parameter.
    if (!isStatement && !afterOperand)
      ++frame.pendingValues;
    return;
  }
  default:
    return;
  }
}

void StructureFinder::open(size_t i) {
  Piece &piece = pieces[i];
  Frame &frame = frames.back();
  if (piece.is(TokenKind::LBrace) && pieces[previous].is(TokenKind::KwIn))
    piece.role = PieceRole::Set;
  if (!piece.is(TokenKind::LBrace) || piece.role == PieceRole::Set) {
    frames.push_back({FrameKind::Bracket, static_cast<int>(i), frame.statement,
                      /*atStart=*/false});
    return;
  }
  bool isValue = frame.pendingValues != 0;
  if (isValue)
    --frame.pendingValues;
  piece.role = isValue ? PieceRole::Value : PieceRole::Block;
  frames.push_back(
      {isValue ? FrameKind::Value : FrameKind::Block, static_cast<int>(i)});
}

void StructureFinder::close(size_t i) {
  Piece &piece = pieces[i];
  Frame closed = frames.pop_back_val();
  Frame &frame = frames.back();
  piece.match = closed.opener;
  pieces[closed.opener].match = i;
  piece.open = frame.opener;
  piece.statement = frame.statement;
  if (piece.is(TokenKind::RBrace))
    piece.role = pieces[closed.opener].role;
  if (closed.kind != FrameKind::Block)
    return;
  if (frame.kind == FrameKind::Header) {
    frames.pop_back();
    return;
  }
  frame.afterBlock = true;
  frame.atStart = peekAfter(i) != TokenKind::KwElse;
}

bool StructureFinder::isExpanded(size_t opener) const {
  size_t closer = pieces[opener].match;
  if (pieces[opener + 1].newlines != 0 || pieces[closer].newlines != 0)
    return true;
  bool isBlock = pieces[opener].role == PieceRole::Block;
  for (size_t i = opener + 1; i < closer; ++i) {
    const Piece &piece = pieces[i];
    bool isDirect = piece.open == static_cast<int>(opener);
    if (isDirect && piece.isComment())
      return true;
    if (piece.newlines != 0 && (isBlock || (isDirect && piece.beginsStatement)))
      return true;
  }
  return false;
}

void tessera::frontend::findStructure(Pieces &pieces) {
  StructureFinder(pieces).run();
}
