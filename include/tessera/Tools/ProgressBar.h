//===- ProgressBar.h - Long work on a terminal ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   [########............]  41 %, 492 of 1200 programs, 12 s left
//
// The line appears after a second, only on terminals, and is erased when the
// work is done. Logs and other programs never contain it.
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

  /// `unit` is the name of the counted parts: "programs".
  explicit ProgressBar(llvm::StringRef unit,
                       llvm::raw_ostream &os = llvm::errs(),
                       bool isTerminal = llvm::errs().is_displayed());
  ~ProgressBar() { clear(); }

  /// Redraws the line. If `done` decreases, another run of the same work has
  /// started. The line is erased after the last part.
  void update(uint64_t done, uint64_t total, Clock::time_point now);
  void update(uint64_t done, uint64_t total) {
    if (isTerminal)
      update(done, total, Clock::now());
  }

  /// Erases the line, so that other text can be printed.
  void clear();

private:
  std::string unit;
  llvm::raw_ostream &os;
  bool isTerminal;
  bool isVisible = false;
  unsigned run = 1;
  uint64_t last = 0;
  /// Start of all runs, and of this one.
  Clock::time_point begin, beginOfRun;
  Clock::time_point drawn;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_PROGRESSBAR_H
