//===- Plans.h - Launches that were planned for a call ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What python/tessera/calls.py keeps of a call, in the form in which it is made
// again with the fewest steps.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_PYTHON_PLANS_H
#define TESSERA_LIB_PYTHON_PLANS_H

#include "CallReader.h"
#include <memory>
#include <unordered_map>
#include <utility>

namespace tessera::python {

/// A prepared launch, and what its outputs are made like.
struct Plan {
  std::vector<uint64_t> key;
  /// Keeps `prepared`.
  Object launch;
  const void *prepared = nullptr;
  /// Of the pool of arguments and allocated outputs: the tensors in the order
  /// of the kernel, and what a call returns.
  std::vector<size_t> tensors;
  std::vector<size_t> results;
  /// Of each output: the arguments of State::quick, and what it is like.
  std::vector<std::pair<Object, Object>> outputs;
  /// The number of the device.
  Object ordinal;
};

/// The plans of a kernel by the keys of calls.
class Plans {
public:
  /// The plan stays while a call has it, whatever other threads keep.
  std::shared_ptr<const Plan> find(const CallKey &key) const {
    auto [first, last] = plans.equal_range(key.hash());
    for (auto it = first; it != last; ++it)
      if (key == it->second->key)
        return it->second;
    return nullptr;
  }

  /// Begins anew where there are `most`: kernels may get other numbers each
  /// time.
  void keep(const CallKey &key, std::shared_ptr<const Plan> plan, size_t most) {
    // Plans that go may let other threads run, which see an empty map.
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
