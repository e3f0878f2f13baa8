//===- Orders.h - The orders of executed schedules --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which orders a kernel is simulated or emulated, one run after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_ORDERS_H
#define TESSERA_TOOLS_LAUNCH_ORDERS_H

#include "tessera/Simulator/ScheduleSearch.h"
#include "tessera/Tools/launch/OrderOptions.h"

namespace tessera::tools {

/// The order of one run.
struct Schedule {
  sim::Order order = sim::Order::Program;
  uint64_t seed = 0;
  sim::Deviations deviations;
};

class Orders {
public:
  /// Refuses options that mean nothing by themselves or together.
  static llvm::Expected<std::unique_ptr<Orders>>
  get(const OrderOptions &options);
  /// One order, drawn from `seed` if it is random.
  static std::unique_ptr<Orders> get(sim::Order order, uint64_t seed);
  virtual ~Orders() = default;

  virtual Schedule getSchedule() const = 0;
  /// After a run that was right, with the choices it had: whether there is
  /// another one.
  virtual bool advance(llvm::ArrayRef<uint16_t> choices) { return false; }
  /// What is to be said at the end, if anything.
  virtual std::string describe(bool hasFailed) const { return ""; }
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_ORDERS_H
