//===- TunedChoices.h - Compile-time values by sizes ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that `tile-tune choose` writes (docs/tuning.md), for --tuned.
// python/tessera/tuned.py reads the same ones for calls from Python.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TUNEDCHOICES_H
#define TESSERA_LIB_TOOLS_COMPILE_TUNEDCHOICES_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tools {

/// What is known of a kernel and of a call of it.
struct TunedCall {
  std::string kernel;
  /// Values of compile-time parameters, given or default, as -D takes them.
  llvm::StringMap<std::string> values;
  llvm::StringMap<int64_t> sizes;
};

/// What a row chooses: compile-time parameters, and options of tilec by their
/// names with dashes.
using TunedChoice = std::vector<std::pair<std::string, std::string>>;

/// The choice of the first row of `path` that fits. The error names the file,
/// and the row or the line.
llvm::Expected<std::optional<TunedChoice>>
findTunedChoice(const std::string &path, const TunedCall &call);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNEDCHOICES_H
