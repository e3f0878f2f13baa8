//===- Help.h - What --help of the tools shows ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The libraries that a tool links bring hundreds of options along. A tool shows
// its own, in groups that sort by their names; what LLVM and MLIR bring is
// there, and shown by --help-hidden, in the last group.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_HELP_H
#define TESSERA_TOOLS_HELP_H

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

/// Leaves, of all options that are registered until now, those of `own` in
/// --help, and what asks for help and the version, which is then that of
/// Tessera and of LLVM. Call it before the command line is parsed.
void hideOtherOptions(
    llvm::ArrayRef<const llvm::cl::OptionCategory *> own = {});

} // namespace tessera::tools

#endif // TESSERA_TOOLS_HELP_H
