//===- Help.h - Output of --help and --version ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linked libraries register hundreds of options. A tool shows its own
// options, in groups that are sorted by name. The options of LLVM and MLIR are
// in the last group, which only --help-hidden shows.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_HELP_H
#define TESSERA_TOOLS_HELP_H

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

/// Prints the versions of Tessera and of LLVM, a line each.
void printVersion(llvm::raw_ostream &os);

/// Keeps only the options of `own` in --help, of all options that are
/// registered so far. The options for help and for the version, which
/// printVersion prints, also remain. --help prints `examples` last: command
/// lines with comments. Call it before the command line is parsed.
void hideOtherOptions(llvm::ArrayRef<const llvm::cl::OptionCategory *> own,
                      llvm::ArrayRef<llvm::StringLiteral> examples);

/// Parses the command line. Returns false after it printed an error.
bool parseCommandLine(int argc, const char *const *argv,
                      llvm::StringRef overview);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_HELP_H
