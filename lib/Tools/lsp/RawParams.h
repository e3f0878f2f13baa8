//===- RawParams.h - Unparsed parameters ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters and results that are forwarded unchanged, or whose parts are read
// one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_RAWPARAMS_H
#define TESSERA_LIB_TOOLS_LSP_RAWPARAMS_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Transport.h"

namespace tessera::tools {

struct RawParams {
  llvm::json::Value value = nullptr;

  /// Returns the part at a path of keys; null if there is none.
  const llvm::json::Value *find(llvm::ArrayRef<llvm::StringRef> path) const {
    const llvm::json::Value *part = &value;
    for (llvm::StringRef key : path) {
      const llvm::json::Object *object = part->getAsObject();
      part = object ? object->get(key) : nullptr;
      if (!part)
        return nullptr;
    }
    return part;
  }
  /// Returns the text at a path; empty if there is none.
  llvm::StringRef findText(llvm::ArrayRef<llvm::StringRef> path) const {
    const llvm::json::Value *part = find(path);
    return part ? part->getAsString().value_or("") : "";
  }
};

inline bool fromJSON(const llvm::json::Value &value, RawParams &params,
                     llvm::json::Path) {
  params.value = value;
  return true;
}

inline llvm::json::Value toJSON(const RawParams &params) {
  return params.value;
}

/// Receives the answer to a request.
using Reply = llvm::lsp::Callback<llvm::json::Value>;

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_RAWPARAMS_H
