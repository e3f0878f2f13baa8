//===- ProgressBar.cpp - Long work on a terminal ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extrapolates the remaining time linearly from the present run. The line is
// redrawn at most once per interval.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/ProgressBar.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tessera::tools;
using Seconds = std::chrono::duration<double>;

static constexpr Seconds kPatience(1), kInterval(0.1);
static constexpr uint64_t kWidth = 20;

ProgressBar::ProgressBar(llvm::StringRef unit, llvm::raw_ostream &os,
                         bool isTerminal)
    : unit(unit), os(os), isTerminal(isTerminal), begin(Clock::now()),
      beginOfRun(begin), drawn(begin) {}

/// Returns "12 s", "3 min", "2.5 h".
static std::string formatTime(double seconds) {
  if (seconds < 120)
    return llvm::formatv("{0:f0} s", seconds);
  if (seconds < 7200)
    return llvm::formatv("{0:f0} min", seconds / 60);
  return llvm::formatv("{0:f1} h", seconds / 3600);
}

void ProgressBar::update(uint64_t done, uint64_t total, Clock::time_point now) {
  if (!isTerminal || total == 0)
    return;
  if (done < last) {
    ++run;
    beginOfRun = now;
  }
  last = done;
  if (done >= total)
    return clear();
  if (now - begin < kPatience || now - drawn < kInterval)
    return;
  drawn = now;
  double part = std::min(1.0, double(done) / total);
  auto filled = static_cast<size_t>(part * kWidth);
  os << "\r[" << std::string(filled, '#') << std::string(kWidth - filled, '.')
     << llvm::formatv("] {0,3:f0} %, ", 100 * part);
  if (run > 1)
    os << "run " << run << ", ";
  os << done << " of " << total << " " << unit;
  // The first parts are not representative of the others.
  double spent = Seconds(now - beginOfRun).count();
  if (done > 0 && spent >= kPatience.count())
    os << ", " << formatTime(spent * (1 - part) / part) << " left";
  // Erases the rest of a longer line.
  os << "\x1b[K";
  os.flush();
  isVisible = true;
}

void ProgressBar::clear() {
  if (!isVisible)
    return;
  os << "\r\x1b[K";
  os.flush();
  isVisible = false;
}
