//===- RingReport.h - Rings of a kernel, and what is proven -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H
#define TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::tools {

/// What can only be told of a kernel before its rings are expanded.
struct RingReport {
  explicit RingReport(sm::KernelOp kernel);

  /// Whether `kernel` is still in the form in which there are rings, and its
  /// events are where they run.
  static bool isOf(sm::KernelOp kernel);

  /// One line for each ring and queue: what arrives in it, from whom, for whom.
  std::vector<std::string> rings;
};

/// Returns one line: whether a pass has proven that no role waits for ever.
std::vector<std::string> describeProgress(sm::KernelOp kernel);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_RINGREPORT_H
