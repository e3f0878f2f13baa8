//===- Order.h - Kinds of schedules -----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_ORDER_H
#define TESSERA_SIMULATOR_ORDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace tessera::sim {

/// The rule that selects the agent of the next step and the moment at which
/// asynchronous operations take effect; see docs/design/simulator.md,
/// "Schedules".
enum class Order { Program, Late, Early, Random, Chosen };

/// Returns the name in options.
inline llvm::StringRef getName(Order order) {
  switch (order) {
  case Order::Program:
    return "program";
  case Order::Late:
    return "late";
  case Order::Early:
    return "early";
  case Order::Random:
    return "random";
  case Order::Chosen:
    return "exhaustive";
  }
  llvm_unreachable("not an order");
}

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_ORDER_H
