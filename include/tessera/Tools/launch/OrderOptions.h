//===- OrderOptions.h - Options of interleavings ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that the simulator and the emulator share. They determine which
// warp is next, when asynchronous work takes effect, and how many blocks run at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_ORDEROPTIONS_H
#define TESSERA_TOOLS_LAUNCH_ORDEROPTIONS_H

#include "tessera/Tools/OptionRules.h"
#include "tessera/Tools/launch/Orders.h"

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

/// Reads the name of an order; an error lists the names.
struct OrderParser : llvm::cl::parser<sim::Order> {
  using llvm::cl::parser<sim::Order>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, sim::Order &order) {
    std::string names;
    for (const OptionInfo &known : Values) {
      if (known.Name == text) {
        order = known.V.getValue();
        return false;
      }
      names += (names.empty() ? "" : ", ") + known.Name.str();
    }
    return option.error(
        "there is no order '" + text + "'; expected one of " + names, name);
  }
};

struct OrderOptions {
  explicit OrderOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// Returns all these options, which have no meaning on other devices.
  OptionList getOptions() const {
    return {order,   seeds,  seed,           maxDeviations,
            maxRuns, replay, multiprocessors};
  }

  /// Returns the values; options that were not given have none.
  OrderRequest getRequest() const {
    OrderRequest request;
    request.orders.assign(order.begin(), order.end());
    request.multiprocessors = multiprocessors;
    if (seeds.getNumOccurrences() != 0)
      request.seeds = seeds;
    if (seed.getNumOccurrences() != 0)
      request.firstSeed = seed;
    if (maxDeviations.getNumOccurrences() != 0)
      request.maxDeviations = maxDeviations;
    if (maxRuns.getNumOccurrences() != 0)
      request.maxRuns = maxRuns;
    if (replay.getNumOccurrences() != 0)
      request.replay = replay;
    return request;
  }

  static llvm::cl::OptionEnumValue describe(sim::Order order,
                                            llvm::StringRef text) {
    return {sim::getName(order), static_cast<int>(order), text};
  }

  llvm::cl::OptionCategory &category;
  llvm::cl::list<sim::Order, bool, OrderParser> order{
      "order",
      llvm::cl::desc("Which warp is next; several, as 'late,random', run one "
                     "after the other:"),
      llvm::cl::CommaSeparated,
      llvm::cl::values(
          describe(sim::Order::Program,
                   "the first that can; what is in flight arrives at once"),
          describe(sim::Order::Late,
                   "the first that can; what is in flight arrives last"),
          describe(sim::Order::Early,
                   "the last that can; what is in flight arrives at once"),
          describe(sim::Order::Random, "drawn from --sim-seed"),
          describe(sim::Order::Chosen,
                   "all orders that deviate from 'program' at few choices")),
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seeds{
      "seeds", llvm::cl::desc("Run in so many random orders"),
      llvm::cl::value_desc("N"), llvm::cl::init(1), llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seed{
      "sim-seed", llvm::cl::desc("The (first) seed of random orders"),
      llvm::cl::init(0), llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> maxDeviations{
      "max-deviations",
      llvm::cl::desc("With --order exhaustive, at how many choices a run "
                     "deviates, at most"),
      llvm::cl::value_desc("N"), llvm::cl::init(OrderRequest::kMaxDeviations),
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> maxRuns{
      "max-runs",
      llvm::cl::desc(
          "With --order exhaustive, how many runs are made, at most"),
      llvm::cl::value_desc("N"), llvm::cl::init(OrderRequest::kMaxRuns),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> replay{
      "replay",
      llvm::cl::desc("Repeat one run of --order exhaustive, by its deviations"),
      llvm::cl::value_desc("CHOICE:COUNT,..."), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> multiprocessors{
      "multiprocessors",
      llvm::cl::desc("How many blocks of a persistent kernel there are, at "
                     "most"),
      llvm::cl::init(2), llvm::cl::cat(category)};
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_ORDEROPTIONS_H
