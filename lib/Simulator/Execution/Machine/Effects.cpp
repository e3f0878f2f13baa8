//===- Effects.cpp - Asynchronous operations in flight ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects the asynchronous operation that takes effect next. A schedule numbers
// the candidates: first the copies in the order of issue, then one product for
// each warpgroup whose next product was issued by all four warps. Copies may
// take effect in any order. Products of a warpgroup take effect in the order of
// issue, like wgmma groups.
//
//===----------------------------------------------------------------------===//

#include "Effects.h"

using namespace tessera;
using namespace tessera::sim;

/// Returns the next product if all warps have issued it; null otherwise.
static Product *getReady(TensorCores &cores) {
  if (cores.next == cores.products.size() ||
      cores.products[cores.next].arrived !=
          cores.products[cores.next].parts.size())
    return nullptr;
  return &cores.products[cores.next];
}

size_t Effects::count() const {
  size_t count = cluster.copies.size();
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas())
    for (auto &[warpgroup, cores] : cta->getAllTensorCores())
      count += getReady(cores) != nullptr;
  return count;
}

void Effects::trace(const Cta &cta, uint32_t asyncNumber) {
  if (Tracer *tracer = cluster.getSimulation().tracer.get())
    tracer->takeEffect(cta.getNumber(), asyncNumber);
}

LogicalResult Effects::take(size_t index) {
  ++cluster.simulation.changes;
  if (index < cluster.copies.size()) {
    Copy copy = std::move(cluster.copies[index]);
    cluster.copies.erase(cluster.copies.begin() + index);
    trace(*copy.issuer, copy.number);
    return copy.takeEffect();
  }
  index -= cluster.copies.size();
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas())
    for (auto &[warpgroup, cores] : cta->getAllTensorCores()) {
      Product *product = getReady(cores);
      if (!product || index-- != 0)
        continue;
      multiply(*product, cores, *cta);
      product->isDone = true;
      trace(*cta, product->number);
      ++cores.next;
      return success();
    }
  return success();
}

LogicalResult Effects::takeAll() {
  while (count() != 0)
    if (failed(take(0)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies that signal a barrier, and other operations
//===----------------------------------------------------------------------===//

SmallVector<uint32_t> Effects::getSignals() const {
  SmallVector<uint32_t> numbers;
  for (const Copy &copy : cluster.copies)
    if (copy.signals)
      numbers.push_back(copy.number);
  return numbers;
}

LogicalResult Effects::takeSignal(uint32_t number) {
  auto copy = llvm::find_if(cluster.copies,
                            [&](const Copy &c) { return c.number == number; });
  return take(copy - cluster.copies.begin());
}

FailureOr<bool> Effects::takeAllButSignals() {
  bool hasAny = false;
  for (size_t index = 0; index < count();) {
    if (index < cluster.copies.size() && cluster.copies[index].signals) {
      ++index;
      continue;
    }
    if (failed(take(index)))
      return failure();
    hasAny = true;
  }
  return hasAny;
}
