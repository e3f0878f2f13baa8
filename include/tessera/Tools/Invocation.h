//===- Invocation.h - Wrong invocations of the tools ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all tools say and return when their command line is wrong: one line,
// `tool: error: what is wrong`, and an exit status of its own, so that a script
// can tell it from an error in a kernel. Standard
// output that cannot be written is an error of the run, 1.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_INVOCATION_H
#define TESSERA_TOOLS_INVOCATION_H

#include "tessera/Array/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"

namespace tessera::tools {

/// Exit status of a wrong invocation.
inline constexpr int kUsageError = 2;
/// Exit status if no device can run what is right otherwise: there is no
/// driver, or it is another architecture.
inline constexpr int kDeviceError = 3;

/// Prints the message and returns kUsageError. What it quotes of files is for
/// reading, not for the terminal to obey.
inline int reportUsageError(llvm::StringRef tool, const llvm::Twine &message) {
  llvm::raw_ostream &os = llvm::WithColor::error(llvm::errs(), tool);
  for (unsigned char c : message.str())
    if (c == '\n' || c == '\t' || (c >= ' ' && c != 0x7f))
      os << c;
    else
      os << "\\x" << llvm::hexdigit(c >> 4) << llvm::hexdigit(c & 15);
  os << "\n";
  return kUsageError;
}

/// Whether the output of an option can be written and leaves the input alone.
inline llvm::Error checkOutput(llvm::StringRef input, llvm::StringRef output,
                               llvm::StringRef option = "-o") {
  if (input != "-" && array::isSameFile(input, output))
    return llvm::createStringError(option + ": '" + output +
                                   "' is the input; name another file");
  return array::checkWritable(output);
}

/// Writes what is left of standard output. Returns `status`, or 1 after a
/// message if it cannot be written and all else was well.
inline int finishOutput(llvm::StringRef tool, int status) {
  if (llvm::Error error = array::flushStandardOutput()) {
    reportUsageError(tool, llvm::toString(std::move(error)));
    status = status ? status : 1;
  }
  // Nobody could be told.
  llvm::errs().clear_error();
  return status;
}

} // namespace tessera::tools

#endif // TESSERA_TOOLS_INVOCATION_H
