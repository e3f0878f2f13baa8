//===- DebugInformation.cpp - Source locations ----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses `.file` and `.loc`, and skips sections and pragmas. File numbers index
// Module::files. A location in an inlined function keeps its own file and line;
// line 0 means no line.
//
//===----------------------------------------------------------------------===//

#include "DebugInformation.h"

#include "Expressions.h"

namespace tessera::emu::parsing {

static constexpr uint64_t kMaxFiles = 1u << 16;
static constexpr uint64_t kMaxNumber = UINT32_MAX;

/// Returns the text between the quotes, without escaping backslashes.
static std::string unquote(StringRef text) {
  std::string result;
  text = text.drop_front().drop_back();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    result += text[i];
  }
  return result;
}

static bool parseFileNumber(Cursor &cursor, Module &module, uint64_t &number) {
  if (!parseCount(cursor, "the number of a file", 0, kMaxFiles, number))
    return false;
  // Each number in a location must be an index in `files`.
  if (module.files.size() <= number)
    module.files.resize(number + 1);
  return true;
}

bool parseFile(Cursor &cursor, Module &module) {
  uint64_t number = 0, ignored = 0;
  if (!parseFileNumber(cursor, module, number))
    return false;
  if (cursor.get().kind != Token::String)
    return cursor.errorExpected("the name of a file");
  module.files[number] = unquote(cursor.take().text);
  // Skip the modification time and the size of the file.
  while (cursor.consume(","))
    if (!parseCount(cursor, "a number", 0, UINT64_MAX, ignored))
      return false;
  return true;
}

static bool parsePlace(Cursor &cursor, Module &module, uint64_t (&place)[3]) {
  return parseFileNumber(cursor, module, place[0]) &&
         parseCount(cursor, "a line", 0, kMaxNumber, place[1]) &&
         parseCount(cursor, "a column", 0, kMaxNumber, place[2]);
}

bool parseLoc(Cursor &cursor, Module &module, Location &where) {
  uint64_t place[3], caller[3];
  if (!parsePlace(cursor, module, place))
    return false;
  bool hasLine = place[1] != 0;
  where.file = hasLine ? place[0] : 0;
  where.sourceLine = place[1];
  where.sourceColumn = hasLine ? place[2] : 0;

  while (cursor.consume(",")) {
    Token word;
    if (!cursor.expectIdentifier(word, "'function_name' or 'inlined_at'"))
      return false;
    if (word.text == "inlined_at") {
      if (!parsePlace(cursor, module, caller))
        return false;
    } else if (word.text == "function_name") {
      // A label of the section .debug_str, and an offset from it.
      Token label;
      int64_t distance = 0;
      if (!cursor.expectIdentifier(label, "a label after 'function_name'") ||
          (cursor.consume("+") && !parseIntegerExpression(cursor, distance)))
        return false;
    } else {
      return cursor.error(word,
                          "unknown attribute '" + word.text + "' of '.loc'");
    }
  }
  return true;
}

bool skipSection(Cursor &cursor) {
  if (!cursor.isDotWord() && !cursor.isIdentifier())
    return cursor.errorExpected("the name of a section");
  Token name = cursor.take();
  if (!cursor.expect("{", "'{' after the name of a section"))
    return false;
  while (!cursor.is("}") && !cursor.isEnd())
    cursor.advance();
  return cursor.expect("}", "'}' at the end of section '" + name.text + "'");
}

bool skipPragma(Cursor &cursor) {
  do {
    if (cursor.get().kind != Token::String)
      return cursor.errorExpected("a string after '.pragma'");
    cursor.advance();
  } while (cursor.consume(","));
  return cursor.expect(";", "';' after '.pragma'");
}

} // namespace tessera::emu::parsing
