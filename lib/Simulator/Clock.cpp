//===- Clock.cpp - Vector clocks ------------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The join of two vector clocks: the maximum of the steps for each warp, and
// the union of the sets of complete asynchronous operations. A set is a prefix
// and a bit window: all numbers below `base`, and one bit for each number from
// `base` on. Full words at the start of the window become part of the prefix.
//
// Invariant: `base` is 1 plus a multiple of the word size, so two windows are
// aligned by whole words, and the first word of a window is never full.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Clock.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::sim;

void Clock::join(const Clock &other) {
  if (steps.size() < other.steps.size())
    steps.resize(other.steps.size(), 0);
  uint32_t *mine = steps.data();
  const uint32_t *theirs = other.steps.data();
  for (size_t i = 0, e = other.steps.size(); i < e; ++i)
    mine[i] = std::max(mine[i], theirs[i]);

  // Bases differ by a multiple of the word size.
  if (base < other.base) {
    size_t words = (other.base - base) / kWord;
    window.erase(window.begin(),
                 window.begin() + std::min(words, window.size()));
    base = other.base;
  }
  size_t skipped = (base - other.base) / kWord;
  if (other.window.size() <= skipped)
    return;
  size_t words = other.window.size() - skipped;
  if (window.size() < words)
    window.resize(words, 0);
  for (size_t i = 0; i < words; ++i)
    window[i] |= other.window[i + skipped];
  dropFullWords();
}

void Clock::add(uint32_t asyncNumber) {
  if (asyncNumber < base)
    return;
  uint32_t bit = asyncNumber - base;
  if (window.size() <= bit / kWord)
    window.resize(bit / kWord + 1, 0);
  window[bit / kWord] |= uint64_t(1) << bit % kWord;
  dropFullWords();
}

void Clock::dropFullWords() {
  auto *end = llvm::find_if(window, [](uint64_t word) { return ~word != 0; });
  base += kWord * (end - window.begin());
  window.erase(window.begin(), end);
}

bool OtherPrograms::knows(uint32_t program, Moment moment) const {
  if (!clocks)
    return false;
  auto clock = clocks->find(program);
  return clock != clocks->end() && clock->second.knows(moment);
}

void OtherPrograms::join(const OtherPrograms &other) {
  if (!other.clocks || clocks == other.clocks)
    return;
  if (!clocks) {
    clocks = other.clocks;
    return;
  }
  auto joined = std::make_shared<ClockOfProgram>(*clocks);
  for (const auto &[program, clock] : *other.clocks)
    (*joined)[program].join(clock);
  clocks = std::move(joined);
}

void OtherPrograms::add(uint32_t program, const Clock &seen) {
  auto joined = clocks ? std::make_shared<ClockOfProgram>(*clocks)
                       : std::make_shared<ClockOfProgram>();
  (*joined)[program].join(seen);
  clocks = std::move(joined);
}
