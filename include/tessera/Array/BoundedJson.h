//===- BoundedJson.h - JSON of bounded nesting ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_BOUNDEDJSON_H
#define TESSERA_ARRAY_BOUNDEDJSON_H

#include "llvm/Support/JSON.h"

namespace tessera::array {

/// Parses JSON from a file or a peer. Fails if arrays and objects are nested
/// deeper than 100 levels: LLVM's parser and the destructor of the value
/// recurse once per level.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace tessera::array

#endif // TESSERA_ARRAY_BOUNDEDJSON_H
