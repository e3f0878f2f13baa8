//===- Orders.cpp - The orders of executed schedules ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Orders.h"

#include "tessera/Array/NDArray.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
/// One run: in a fixed order, or again one that was found.
class OneOrder : public Orders {
public:
  OneOrder(sim::Order order, sim::Deviations deviations = {})
      : order(order), deviations(std::move(deviations)) {}

  Schedule getSchedule() const override { return {order, 0, deviations}; }

private:
  sim::Order order;
  sim::Deviations deviations;
};

class RandomOrders : public Orders {
public:
  RandomOrders(uint64_t seed, uint64_t count) : seed(seed), rest(count) {}

  Schedule getSchedule() const override {
    return {sim::Order::Random, seed, {}};
  }
  bool advance(llvm::ArrayRef<uint16_t>) override {
    if (rest <= 1)
      return false;
    --rest;
    ++seed;
    return true;
  }
  std::string describe(bool hasFailed) const override {
    if (!hasFailed)
      return "";
    return "repeat this run with --order random --sim-seed " +
           std::to_string(seed);
  }

private:
  uint64_t seed, rest;
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
Orders::get(const OrderOptions &options) {
  if (options.multiprocessors < 1)
    return array::makeError("--multiprocessors: expected at least 1, got " +
                            llvm::Twine(options.multiprocessors));
  if (options.seeds < 1)
    return array::makeError("--seeds: expected at least 1, got 0");
  auto isGiven = [](const cl::Option &option) {
    return option.getNumOccurrences() != 0;
  };
  bool hasOrder = isGiven(options.order), hasSeeds = isGiven(options.seeds);
  bool isRandom = hasSeeds || options.order == sim::Order::Random;
  bool isExhaustive = options.order == sim::Order::Chosen;
  if (hasSeeds && hasOrder && options.order != sim::Order::Random)
    return array::makeError("--seeds is for --order random");
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(std::addressof(options.maxDeviations)),
        static_cast<const cl::Option *>(std::addressof(options.maxRuns))})
    if (isGiven(*option) && !isExhaustive)
      return array::makeError("--" + option->ArgStr +
                              " is for --order exhaustive");
  if (options.maxRuns == 0)
    return array::makeError("--max-runs: expected at least one run");
  if (isGiven(options.replay)) {
    if (hasOrder || hasSeeds)
      return array::makeError("--replay is an order by itself; give it without "
                              "--order and --seeds");
    llvm::Expected<sim::Deviations> deviations =
        sim::parseDeviations(options.replay);
    if (!deviations)
      return array::makeError("--replay: " +
                              llvm::toString(deviations.takeError()));
    return std::make_unique<OneOrder>(sim::Order::Chosen, *deviations);
  }
  if (isExhaustive)
    return std::make_unique<ExhaustiveOrders>(options.maxDeviations,
                                              options.maxRuns);
  if (isRandom)
    return std::make_unique<RandomOrders>(options.seed, options.seeds);
  return std::make_unique<OneOrder>(options.order);
}
