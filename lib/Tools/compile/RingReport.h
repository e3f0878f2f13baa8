//===- RingReport.h - Rings of a kernel, and proofs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H
#define TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::tools {

/// The facts of a kernel that are known only before its rings are expanded.
struct RingReport {
  explicit RingReport(sm::KernelOp kernel);

  /// Checks whether `kernel` still has rings, and its schedule was applied.
  static bool isOf(sm::KernelOp kernel);

  /// One line for each ring and queue: its tensors, its producers and its
  /// consumers.
  std::vector<std::string> rings;
};

/// Returns one line: whether a pass has proven that no role waits for ever.
std::vector<std::string> describeProgress(sm::KernelOp kernel);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H
