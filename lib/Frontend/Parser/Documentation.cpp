//===- Documentation.cpp - Comments above declarations ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Documentation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

std::string tessera::frontend::getDocumentation(StringRef source,
                                                size_t begin) {
  llvm::SmallVector<StringRef> lines;
  StringRef before = source.take_front(begin).rtrim(" \t");
  while (before.consume_back("\n")) {
    size_t start = before.rfind('\n') + 1;
    StringRef line = before.drop_front(start).trim();
    if (!line.consume_front("///"))
      break;
    lines.push_back(line.drop_while([](char c) { return c == ' '; }));
    before = before.take_front(start);
  }
  std::string text;
  for (StringRef line : llvm::reverse(lines))
    text += (line + "\n").str();
  return StringRef(text).trim().str();
}
