//===- FindingPrinter.h - Defects with their locations ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAUNCH_FINDINGPRINTER_H
#define TESSERA_LIB_TOOLS_LAUNCH_FINDINGPRINTER_H

#include "tessera/Emulator/EmulatedDriver.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

namespace tessera::tools {

/// Prints the findings of launches as diagnostics. If a line table names the
/// source line, the diagnostic is at that line, quoted if the file can be read,
/// and then at the instruction. Otherwise, it is only at the instruction.
class FindingPrinter {
public:
  explicit FindingPrinter(llvm::raw_ostream &os);
  /// Adds the text of a file, which is then not read.
  void addSource(llvm::StringRef file, llvm::StringRef text);
  void print(const emu::LaunchReport &report);

private:
  using Kind = llvm::SourceMgr::DiagKind;
  void print(const emu::LaunchReport &report, const emu::Location &where,
             Kind kind, llvm::StringRef text);
  void printAt(unsigned buffer, llvm::StringRef file, unsigned line,
               unsigned column, Kind kind, llvm::StringRef text);
  /// Returns the buffer of a source, or 0 if it cannot be read.
  unsigned findSource(llvm::StringRef file);
  /// Returns the buffer of the PTX of a launch.
  unsigned addText(const emu::LaunchReport &report);

  llvm::raw_ostream &os;
  llvm::SourceMgr sources;
  /// By the name of the file; PTX by its text.
  llvm::StringMap<unsigned> bySource, byText;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAUNCH_FINDINGPRINTER_H
