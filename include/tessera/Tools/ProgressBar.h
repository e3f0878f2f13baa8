//===- ProgressBar.h - Long work on a terminal ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   [########............]  41 %, 492 of 1200 programs, 12 s left
//
// The line appears after a second, on terminals alone, and is gone when the
// work is done: logs and other programs never see it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_PROGRESSBAR_H
#define TESSERA_TOOLS_PROGRESSBAR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>

namespace tessera::tools {

class ProgressBar {
public:
  using Clock = std::chrono::steady_clock;

  /// `unit` is what is counted: "programs".
  explicit ProgressBar(llvm::StringRef unit,
                       llvm::raw_ostream &os = llvm::errs(),
                       bool isTerminal = llvm::errs().is_displayed());
  ~ProgressBar() { clear(); }

  /// Less done than before is the start of another run of the same work. The
  /// line is gone after the last part.
  void update(uint64_t done, uint64_t total, Clock::time_point now);
  void update(uint64_t done, uint64_t total) {
    if (isTerminal)
      update(done, total, Clock::now());
  }

  /// Takes the line away, so that something else can be printed.
  void clear();

private:
  std::string unit;
  llvm::raw_ostream &os;
  bool isTerminal;
  bool isVisible = false;
  unsigned run = 1;
  uint64_t last = 0;
  /// Of all runs, and of this one.
  Clock::time_point begin, beginOfRun;
  Clock::time_point drawn;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_PROGRESSBAR_H
