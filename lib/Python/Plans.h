//===- Plans.h - Planned launches of calls ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a call in python/tessera/calls.py, in the form that repeats the
// call with the fewest steps.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_PYTHON_PLANS_H
#define TESSERA_LIB_PYTHON_PLANS_H

#include "CallReader.h"
#include <memory>
#include <unordered_map>
#include <utility>

namespace tessera::python {

/// A prepared launch, and templates of its outputs.
struct Plan {
  std::vector<uint64_t> key;
  /// Keeps `prepared` alive.
  Object launch;
  const void *prepared = nullptr;
  /// Positions in the pool of arguments and allocated outputs: the tensors in
  /// the order of the kernel, and the results of a call.
  std::vector<size_t> tensors;
  std::vector<size_t> results;
  /// For each output, the arguments of State::quick, and a template.
  std::vector<std::pair<Object, Object>> outputs;
  /// The number of the device.
  Object ordinal;
};

/// The plans of a kernel by the keys of calls.
class Plans {
public:
  /// Returns the plan, which lives while a call holds it, even if other threads
  /// replace it.
  std::shared_ptr<const Plan> find(const CallKey &key) const {
    auto [first, last] = plans.equal_range(key.hash());
    for (auto it = first; it != last; ++it)
      if (key == it->second->key)
        return it->second;
    return nullptr;
  }

  /// Stores a plan. Clears the map if it holds `most` plans: kernels may get
  /// other numbers at each call.
  void keep(const CallKey &key, std::shared_ptr<const Plan> plan, size_t most) {
    // Destructors of plans may let other threads run, which then find an empty
    // map.
    if (plans.size() >= most)
      Map().swap(plans);
    plans.emplace(key.hash(), std::move(plan));
  }

  size_t size() const { return plans.size(); }

private:
  using Map = std::unordered_multimap<uint64_t, std::shared_ptr<const Plan>>;

  Map plans;
};

} // namespace tessera::python

#endif // TESSERA_LIB_PYTHON_PLANS_H
