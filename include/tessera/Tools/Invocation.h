//===- Invocation.h - Wrong invocations of the tools ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages and exit status of all tools for a wrong command line. The message
// is one line, `tool: error: the error`. The exit status differs from that of
// an error in a kernel, for scripts. A failure to write standard output is an
// error of the run, 1.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_INVOCATION_H
#define TESSERA_TOOLS_INVOCATION_H

#include "tessera/Array/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"

#include <csignal>

namespace tessera::tools {

/// Exit status of a wrong invocation.
inline constexpr int kUsageError = 2;
/// Exit status if no device can run a correct invocation: there is no driver,
/// or the device has another architecture.
inline constexpr int kDeviceError = 3;

/// Prints the message and returns kUsageError. Quoted parts of files are
/// escaped, so that no terminal interprets them.
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

/// Checks whether the output of an option can be written and does not overwrite
/// the input.
inline llvm::Error checkOutput(llvm::StringRef input, llvm::StringRef output,
                               llvm::StringRef option = "-o") {
  if (input != "-" && array::isSameFile(input, output))
    return llvm::createStringError(option + ": '" + output +
                                   "' is the input; name another file");
  return array::checkWritable(output);
}

/// Ends the process quietly at a write to a pipe without a reader, as in
/// `tilec --help | head`. Call it after InitLLVM: the handler of LLVM exits
/// while the output is flushed, which writes to the pipe again.
inline void endAtClosedPipe() { std::signal(SIGPIPE, SIG_DFL); }

/// Writes the rest of standard output. Returns `status`; after a failure to
/// write, prints a message and returns 1 if `status` was success.
inline int finishOutput(llvm::StringRef tool, int status) {
  if (llvm::Error error = array::flushStandardOutput()) {
    reportUsageError(tool, llvm::toString(std::move(error)));
    status = status ? status : 1;
  }
  // No stream remains to report the failure.
  llvm::errs().clear_error();
  return status;
}

} // namespace tessera::tools

#endif // TESSERA_TOOLS_INVOCATION_H
