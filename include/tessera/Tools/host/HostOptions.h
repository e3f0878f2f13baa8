//===- HostOptions.h - Options of runs without a GPU ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_HOST_HOSTOPTIONS_H
#define TESSERA_TOOLS_HOST_HOSTOPTIONS_H

#include "tessera/Tools/launch/Orders.h"

namespace tessera::tools {

/// The options of tile-run that have a meaning in a library.
struct HostOptions {
  /// Parses options as on the command line, such as "--seeds=4". Fails for an
  /// option that `device` does not have.
  static llvm::Expected<HostOptions>
  parse(llvm::StringRef device, llvm::ArrayRef<llvm::StringRef> texts);

  /// Maximum number of steps; the default depends on the device.
  std::optional<uint64_t> stepLimit;
  /// Seed of a random order of the programs of the grid, for the interpreter.
  std::optional<uint64_t> gridOrder;
  /// Loads outside of tensors yield NaN, or the smallest integer.
  bool fillsOutside = false;
  /// For the simulator and the emulator.
  OrderRequest orders;
};

/// Returns `messages` with the note that tells how to repeat a failed run.
std::string addNote(std::string messages, llvm::StringRef note);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_HOST_HOSTOPTIONS_H
