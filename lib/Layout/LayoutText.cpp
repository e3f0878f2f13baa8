//===- LayoutText.cpp - Layouts as text -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   layout ::= shape `=` axis*
//   shape  ::= integer (`x` integer)* | `scalar`
//   axis   ::= name `[` term* `]`
//   term   ::= integer `*` `(` (integer (`,` integer)*)? `)`
//
// The shape follows from the terms; the parser checks the written one. All
// tokens are also tokens of MLIR, where this is the body of an attribute.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

std::string layout::formatPoint(llvm::ArrayRef<int64_t> point) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(point, os);
  os << ')';
  return text;
}

void Layout::print(llvm::raw_ostream &os) const {
  if (shape.empty())
    os << "scalar";
  llvm::interleave(shape, os, "x");
  os << " =";
  for (const Axis &axis : axes) {
    os << ' ' << axis.name << '[';
    llvm::interleave(
        axis.terms, os,
        [&](const Term &term) {
          os << term.count << "*(";
          llvm::interleave(term.stride, os, ",");
          os << ')';
        },
        " ");
    os << ']';
  }
}

std::string Layout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

namespace {
/// Recursive-descent parser of the grammar above. A method that fails sets
/// `message`.
class LayoutParser {
public:
  explicit LayoutParser(llvm::StringRef text) : text(text), rest(text) {}

  llvm::Expected<Layout> parse() {
    Point shape;
    std::vector<Axis> axes;
    if (!parseShape(shape) || !expect("=") || !parseAxes(shape.size(), axes))
      return createStringError(message);
    llvm::Expected<Layout> layout = Layout::get(axes, shape.size());
    if (!layout)
      return layout.takeError();
    if (layout->getShape() != llvm::ArrayRef<int64_t>(shape))
      return createStringError("the terms make a tile of " +
                               formatPoint(layout->getShape()) + ", not of " +
                               formatPoint(shape));
    return std::move(*layout);
  }

private:
  /// Skips white space, then consumes `token` if it is next.
  bool consume(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool fail(const Twine &expected) {
    rest = rest.ltrim();
    message = ("column " + Twine(text.size() - rest.size() + 1) +
               ": expected " + expected + ", got " +
               (rest.empty() ? Twine("the end")
                             : "'" + Twine(rest.take_front(8)) + "'"))
                  .str();
    return false;
  }

  bool expect(llvm::StringRef token) {
    return consume(token) || fail("'" + token + "'");
  }

  bool parseInteger(int64_t &value) {
    rest = rest.ltrim();
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.empty() || digits.getAsInteger(10, value))
      return fail("a number");
    rest = rest.drop_front(digits.size());
    return true;
  }

  bool parseShape(Point &shape) {
    if (consume("scalar"))
      return true;
    do {
      int64_t extent;
      if (!parseInteger(extent))
        return false;
      shape.push_back(extent);
    } while (rest.consume_front("x"));
    return true;
  }

  bool parseTerm(unsigned rank, Term &term) {
    if (!parseInteger(term.count) || !expect("*") || !expect("("))
      return false;
    while (term.stride.size() < rank) {
      if (!term.stride.empty() && !expect(","))
        return false;
      if (!parseInteger(term.stride.emplace_back()))
        return false;
    }
    return expect(")");
  }

  bool parseAxes(unsigned rank, std::vector<Axis> &axes) {
    while (!(rest = rest.ltrim()).empty()) {
      Axis &axis = axes.emplace_back();
      axis.name = rest.take_while(llvm::isAlnum);
      if (axis.name.empty() || !llvm::isAlpha(axis.name[0]))
        return fail("the name of an axis");
      rest = rest.drop_front(axis.name.size());
      if (!expect("["))
        return false;
      while (!consume("]"))
        if (!parseTerm(rank, axis.terms.emplace_back()))
          return false;
    }
    return true;
  }

  llvm::StringRef text, rest;
  std::string message;
};
} // namespace

llvm::Expected<Layout> Layout::parse(llvm::StringRef text) {
  return LayoutParser(text).parse();
}
