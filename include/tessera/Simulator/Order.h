//===- Order.h - Which agent makes the next step ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_ORDER_H
#define TESSERA_SIMULATOR_ORDER_H

namespace tessera::sim {

/// Which agent makes the next step, and when asynchronous operations take
/// effect; see docs/design/simulator.md, "Schedules".
enum class Order { Program, Late, Early, Random, Chosen };

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_ORDER_H
