//===- TunedChoices.h - Compile-time values by sizes ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that `tile-tune choose` writes (docs/tuning.md), for --tuned.
// python/tessera/tuned.py reads the same files for calls from Python.
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

/// The known values of a kernel and of a call.
struct TunedCall {
  std::string kernel;
  /// Values of compile-time parameters, given or default, in the form of -D.
  llvm::StringMap<std::string> values;
  /// The sizes of the kernel, with their values if known.
  llvm::StringMap<std::optional<int64_t>> sizes;
};

/// The choices of a row: compile-time parameters, and options of tilec by their
/// names with dashes.
using TunedChoice = std::vector<std::pair<std::string, std::string>>;

/// A row that may apply to a call.
struct TunedRow {
  TunedChoice choice;
  /// Conditions on the sizes: expressions that are 0 if the row applies.
  std::vector<std::string> conditions;
};

/// Returns an expression that is 0 for sizes within a bound: "min", "max" or
/// "multiple".
std::string writeBound(StringRef size, StringRef kind, int64_t limit);

/// Returns the rows of `path` for the kernel and its values, in their order:
/// all rows that may apply to calls with some sizes. An error names the file,
/// and the row or the line.
llvm::Expected<std::vector<TunedRow>> readTunedRows(const std::string &path,
                                                    const TunedCall &call);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNEDCHOICES_H
