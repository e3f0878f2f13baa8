//===- Diagnostics.cpp - Located errors of the front end --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of messages: lists of names.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace tessera::frontend;

std::string
tessera::frontend::joinNames(llvm::ArrayRef<llvm::StringRef> names) {
  if (names.empty())
    return "none";
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i)
      text += i + 1 == names.size() ? " and " : ", ";
    text += ("`" + name + "`").str();
  }
  return text;
}
