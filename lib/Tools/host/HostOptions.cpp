//===- HostOptions.cpp - Options of runs without a GPU ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/host/HostOptions.h"

#include "tessera/Array/NDArray.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::tools;
using llvm::StringRef;

static std::optional<sim::Order> findOrder(StringRef name) {
  for (sim::Order order :
       {sim::Order::Program, sim::Order::Late, sim::Order::Early,
        sim::Order::Random, sim::Order::Chosen})
    if (sim::getName(order) == name)
      return order;
  return std::nullopt;
}

template <typename T>
static llvm::Error readNumber(StringRef name, StringRef value, T &number) {
  if (value.getAsInteger(10, number))
    return array::makeError("--" + name + ": expected a number, got '" + value +
                            "'");
  return llvm::Error::success();
}

static llvm::Error readOrders(StringRef value,
                              llvm::SmallVectorImpl<sim::Order> &orders) {
  for (StringRef name : llvm::split(value, ',')) {
    std::optional<sim::Order> order = findOrder(name.trim());
    if (!order)
      return array::makeError("--order: expected program, late, early, random "
                              "or exhaustive, got '" +
                              name + "'");
    orders.push_back(*order);
  }
  return llvm::Error::success();
}

/// Parses an option of --device sim and ptx. Returns false for other names.
static llvm::Expected<bool> readOrderOption(StringRef name, StringRef value,
                                            OrderRequest &orders) {
  auto done = [](llvm::Error error) -> llvm::Expected<bool> {
    if (error)
      return std::move(error);
    return true;
  };
  if (name == "order")
    return done(readOrders(value, orders.orders));
  if (name == "seeds")
    return done(readNumber(name, value, orders.seeds.emplace()));
  if (name == "sim-seed")
    return done(readNumber(name, value, orders.firstSeed.emplace()));
  if (name == "max-deviations")
    return done(readNumber(name, value, orders.maxDeviations.emplace()));
  if (name == "max-runs")
    return done(readNumber(name, value, orders.maxRuns.emplace()));
  if (name == "multiprocessors")
    return done(readNumber(name, value, orders.multiprocessors));
  if (name != "replay")
    return false;
  orders.replay = value.str();
  return true;
}

llvm::Expected<HostOptions>
HostOptions::parse(StringRef device, llvm::ArrayRef<StringRef> texts) {
  HostOptions options;
  bool hasOrders = device == "sim" || device == "ptx";
  for (StringRef text : texts) {
    auto [name, value] = text.ltrim('-').split('=');
    if (name == "step-limit") {
      uint64_t &limit = options.stepLimit.emplace();
      if (llvm::Error error = readNumber(name, value, limit))
        return std::move(error);
      if (limit == 0)
        return array::makeError("--step-limit: expected at least 1, got 0");
      continue;
    }
    if (name == "fill-outside") {
      if (value != "nan")
        return array::makeError("--fill-outside: expected nan, got '" + value +
                                "'");
      options.fillsOutside = true;
      continue;
    }
    if (name == "grid-order") {
      if (hasOrders)
        return array::makeError("--grid-order is for the interpreter");
      if (llvm::Error error =
              readNumber(name, value, options.gridOrder.emplace()))
        return std::move(error);
      continue;
    }
    llvm::Expected<bool> isKnown = readOrderOption(name, value, options.orders);
    if (!isKnown)
      return isKnown.takeError();
    if (!*isKnown)
      return array::makeError("there is no option --" + name);
    if (!hasOrders)
      return array::makeError("--" + name + " is for --device sim and ptx");
  }
  return options;
}

std::string tools::addNote(std::string messages, StringRef note) {
  if (note.empty())
    return messages;
  return messages + "\nnote: " + note.str();
}
