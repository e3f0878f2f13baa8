//===- Orders.h - Interleavings of several runs -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interleavings in which a kernel is simulated or emulated, one per run.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_ORDERS_H
#define TESSERA_TOOLS_LAUNCH_ORDERS_H

#include "tessera/Simulator/Order.h"
#include "tessera/Simulator/ScheduleSearch.h"

#include <memory>
#include <optional>

namespace tessera::tools {

/// The interleavings that a user asks for, by the options of tile-run.
struct OrderRequest {
  /// Defaults.
  static constexpr unsigned kMaxDeviations = 2;
  static constexpr uint64_t kMaxRuns = 10000;

  llvm::SmallVector<sim::Order> orders;
  std::optional<uint64_t> seeds;
  std::optional<uint64_t> firstSeed;
  std::optional<unsigned> maxDeviations;
  std::optional<uint64_t> maxRuns;
  std::optional<std::string> replay;
  int64_t multiprocessors = 2;
};

/// The interleaving of one run.
struct Schedule {
  sim::Order order = sim::Order::Program;
  uint64_t seed = 0;
  sim::Deviations deviations;
};

class Orders {
public:
  /// Creates the interleavings. Fails for options that have no meaning alone or
  /// together.
  static llvm::Expected<std::unique_ptr<Orders>>
  get(const OrderRequest &request);
  /// Creates one interleaving, generated from `seed` if it is random.
  static std::unique_ptr<Orders> get(sim::Order order, uint64_t seed);
  virtual ~Orders() = default;

  virtual Schedule getSchedule() const = 0;
  /// Returns, after a correct run with these choices, whether another run
  /// follows.
  virtual bool advance(llvm::ArrayRef<uint16_t> choices) { return false; }
  /// Returns the message at the end, or an empty text.
  virtual std::string describe(bool hasFailed) const { return ""; }
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_ORDERS_H
