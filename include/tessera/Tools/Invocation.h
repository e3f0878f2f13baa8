//===- Invocation.h - Wrong invocations of the tools ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all tools say and return when their command line is wrong: one line,
// `tool: error: what is wrong`, and an exit status of its own, so that a script
// can tell it from an error in a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_INVOCATION_H
#define TESSERA_TOOLS_INVOCATION_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"

namespace tessera::tools {

/// Exit status of a wrong invocation.
inline constexpr int kUsageError = 2;
/// Exit status if no device can run what is right otherwise: there is no
/// driver, or it is another architecture.
inline constexpr int kDeviceError = 3;

/// Prints the message and returns kUsageError.
inline int reportUsageError(llvm::StringRef tool, const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), tool) << message << "\n";
  return kUsageError;
}

} // namespace tessera::tools

#endif // TESSERA_TOOLS_INVOCATION_H
