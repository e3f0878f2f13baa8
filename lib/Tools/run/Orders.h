//===- lib/Tools/run/Orders.h - The orders of simulated runs ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which orders a kernel is simulated, one run after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_ORDERS_H
#define TESSERA_LIB_TOOLS_RUN_ORDERS_H

#include "SimulatedRun.h"

namespace tessera::tools {

class Orders {
public:
  /// Refuses options that mean nothing together.
  static llvm::Expected<std::unique_ptr<Orders>>
  get(const SimulatorOptions &options);
  virtual ~Orders() = default;

  /// Sets the order of the next run.
  virtual void set(sim::Options &options) = 0;
  /// After a run that was right: whether there is another one.
  virtual bool advance(const sim::Statistics &statistics) { return false; }
  /// What is to be said at the end, if anything.
  virtual std::string describe(bool hasFailed) const { return ""; }
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_ORDERS_H
