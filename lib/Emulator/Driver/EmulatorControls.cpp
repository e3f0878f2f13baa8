//===- lib/Emulator/Driver/EmulatorControls.cpp - Orders and reports ------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/EmulatorControls.h"

#include "DriverState.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::emu;
namespace sim = tessera::sim;

int tesseraEmulatorSetOrder(const char *order, uint64_t seed) {
  static constexpr sim::Order kOrders[] = {sim::Order::Program,
                                           sim::Order::Late, sim::Order::Early,
                                           sim::Order::Random};
  const sim::Order *known = llvm::find_if(kOrders, [&](sim::Order candidate) {
    return order && sim::getName(candidate) == order;
  });
  if (known == std::end(kOrders))
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
