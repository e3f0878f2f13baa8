//===- Orders.cpp - Interleavings of several runs ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterators over interleavings: one that is repeated, a list with seeds of
// random entries, or an exhaustive search with bounded deviations
// (ScheduleSearch).
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Orders.h"

#include "tessera/Array/NDArray.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;

namespace {
/// Repeats one run that a search found.
class ReplayedOrder : public Orders {
public:
  explicit ReplayedOrder(sim::Deviations deviations)
      : deviations(std::move(deviations)) {}

  Schedule getSchedule() const override {
    return {sim::Order::Chosen, 0, deviations};
  }

private:
  sim::Deviations deviations;
};

/// Interleavings of a list, one after the other. A random entry has several
/// runs.
class ListedOrders : public Orders {
public:
  ListedOrders(llvm::ArrayRef<sim::Order> orders, uint64_t firstSeed,
               uint64_t seeds)
      : orders(orders.begin(), orders.end()), firstSeed(firstSeed),
        seeds(seeds) {}

  Schedule getSchedule() const override {
    if (isRandom())
      return {sim::Order::Random, firstSeed + drawn, {}};
    return {orders[index], 0, {}};
  }
  bool advance(llvm::ArrayRef<uint16_t>) override {
    if (isRandom() && ++drawn < seeds)
      return true;
    drawn = 0;
    return ++index < orders.size();
  }
  std::string describe(bool hasFailed) const override;

private:
  bool isRandom() const { return orders[index] == sim::Order::Random; }

  llvm::SmallVector<sim::Order> orders;
  uint64_t firstSeed, seeds;
  size_t index = 0;
  /// Number of correct runs in random interleavings, for this entry of the
  /// list.
  uint64_t drawn = 0;
};

class ExhaustiveOrders : public Orders {
public:
  ExhaustiveOrders(unsigned maxDeviations, uint64_t maxRuns)
      : maxDeviations(maxDeviations), search(maxDeviations, maxRuns) {}

  Schedule getSchedule() const override {
    return {sim::Order::Chosen, 0, sim::Deviations(search.getSchedule())};
  }
  bool advance(llvm::ArrayRef<uint16_t> choices) override {
    return search.advance(choices);
  }
  std::string describe(bool hasFailed) const override;

private:
  unsigned maxDeviations;
  sim::ScheduleSearch search;
};
} // namespace

std::string ListedOrders::describe(bool hasFailed) const {
  // A single requested interleaving needs no message.
  if (!hasFailed || (orders.size() == 1 && !isRandom()))
    return "";
  std::string repeat =
      ("repeat this run with --order " + sim::getName(orders[index])).str();
  if (isRandom())
    repeat += " --sim-seed " + std::to_string(firstSeed + drawn);
  return repeat;
}

std::string ExhaustiveOrders::describe(bool hasFailed) const {
  uint64_t runs = search.getRuns() + hasFailed;
  std::string text = std::to_string(runs) + (runs == 1 ? " run" : " runs");
  if (hasFailed) {
    std::string schedule = sim::toString(search.getSchedule());
    return "this is one of " + text + "; repeat it with " +
           (schedule.empty() ? "--order exhaustive --max-runs 1"
                             : "--replay " + schedule);
  }
  std::string bound = "with up to " + std::to_string(maxDeviations) +
                      (maxDeviations == 1 ? " deviation" : " deviations");
  return text + ", " +
         (search.isCut() ? "which is what --max-runs allows of the schedules "
                         : "which are all schedules ") +
         bound;
}

llvm::Expected<std::unique_ptr<Orders>>
Orders::get(const OrderRequest &request) {
  if (request.multiprocessors < 1)
    return array::makeError("--multiprocessors: expected at least 1, got " +
                            llvm::Twine(request.multiprocessors));
  if (request.seeds == 0)
    return array::makeError("--seeds: expected at least 1, got 0");
  llvm::SmallVector<sim::Order> orders = request.orders;
  if (orders.empty() && !request.replay)
    orders.push_back(request.seeds ? sim::Order::Random : sim::Order::Program);
  bool isExhaustive = llvm::is_contained(orders, sim::Order::Chosen);
  if (isExhaustive && orders.size() > 1)
    return array::makeError("--order exhaustive is all orders; give it alone");
  if (request.seeds && !orders.empty() &&
      !llvm::is_contained(orders, sim::Order::Random))
    return array::makeError("--seeds is for --order random");
  if (request.firstSeed && !llvm::is_contained(orders, sim::Order::Random))
    return array::makeError("--sim-seed is for random orders; add --order "
                            "random or --seeds N");
  if (!isExhaustive && request.maxDeviations)
    return array::makeError("--max-deviations is for --order exhaustive");
  if (!isExhaustive && request.maxRuns)
    return array::makeError("--max-runs is for --order exhaustive");
  if (request.maxRuns == 0)
    return array::makeError("--max-runs: expected at least one run");
  if (request.replay) {
    if (!orders.empty() || request.seeds)
      return array::makeError("--replay is an order by itself; give it without "
                              "--order and --seeds");
    llvm::Expected<sim::Deviations> deviations =
        sim::parseDeviations(*request.replay);
    if (!deviations)
      return array::makeError("--replay: " +
                              llvm::toString(deviations.takeError()));
    return std::make_unique<ReplayedOrder>(std::move(*deviations));
  }
  if (isExhaustive)
    return std::make_unique<ExhaustiveOrders>(
        request.maxDeviations.value_or(OrderRequest::kMaxDeviations),
        request.maxRuns.value_or(OrderRequest::kMaxRuns));
  return std::make_unique<ListedOrders>(orders, request.firstSeed.value_or(0),
                                        request.seeds.value_or(1));
}

std::unique_ptr<Orders> Orders::get(sim::Order order, uint64_t seed) {
  return std::make_unique<ListedOrders>(order, seed, /*seeds=*/1);
}
