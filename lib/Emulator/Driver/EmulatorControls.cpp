//===- lib/Emulator/Driver/EmulatorControls.cpp - Orders and reports ------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/EmulatorControls.h"

#include "DriverState.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera::emu;
namespace sim = tessera::sim;

int tesseraEmulatorSetOrder(const char *order, uint64_t seed) {
  auto known = llvm::StringSwitch<std::optional<sim::Order>>(order ? order : "")
                   .Case("program", sim::Order::Program)
                   .Case("late", sim::Order::Late)
                   .Case("early", sim::Order::Early)
                   .Case("random", sim::Order::Random)
                   .Default(std::nullopt);
  if (!known)
    return 1;
  driver::Call call;
  call->options.run.order = *known;
  call->options.run.seed = seed;
  return 0;
}

uint64_t tesseraEmulatorGetSteps() { return driver::Call()->lastSteps; }

const char *tesseraEmulatorGetFindings() {
  return driver::Call()->lastFindings.c_str();
}
