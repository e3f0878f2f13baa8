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
  /// The sizes of the kernel, with their values where these are known.
  llvm::StringMap<std::optional<int64_t>> sizes;
};

/// What a row chooses: compile-time parameters, and options of tilec by their
/// names with dashes.
using TunedChoice = std::vector<std::pair<std::string, std::string>>;

/// A row that may be for a call.
struct TunedRow {
  TunedChoice choice;
  /// Of the sizes: expressions that are 0 where the row is for them.
  std::vector<std::string> conditions;
};

/// The rows of `path` for the kernel and its values: all that calls with some
/// sizes may take, in their order. The error names the file, and the row or the
/// line.
llvm::Expected<std::vector<TunedRow>> readTunedRows(const std::string &path,
                                                    const TunedCall &call);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNEDCHOICES_H
