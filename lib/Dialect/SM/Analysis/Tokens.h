//===- Tokens.h - Tokens between roles --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_ANALYSIS_TOKENS_H
#define TESSERA_LIB_DIALECT_SM_ANALYSIS_TOKENS_H

#include "ScalarSums.h"
#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace tessera::sm {

/// Slots of a ring, numbered in the order in which they are taken.
struct RingTokens {
  /// How far one user is, and which slots it holds.
  struct User {
    int64_t taken = 0;
    std::set<int64_t> held;

    bool hasReleased(int64_t slot) const {
      return slot < taken && !held.count(slot);
    }
  };

  /// The same of an agent that fills slots.
  struct Filler {
    int64_t taken = 0;
    std::set<int64_t> open;

    bool hasCommitted(int64_t slot) const {
      return slot < taken && !open.count(slot);
    }
  };

  int64_t slots = 0;
  /// By agent. Warpgroups fill parts of one slot.
  llvm::MapVector<unsigned, Filler> fillers;
  /// By agent; of a ring that roles use in turn, of one agent for all.
  llvm::MapVector<unsigned, User> users;

  /// How far the first of those that fill it is.
  int64_t getTaken() const {
    return fillers.empty() ? 0 : fillers.front().second.taken;
  }
};

struct QueueTokens {
  int64_t slots = 0;
  SmallVector<ScalarSum> pushed;
  llvm::MapVector<unsigned, int64_t> popped;
  unsigned writer = 0;
};

/// All of them. Agents are warpgroups of roles that take turns within their
/// role, and whole roles else.
struct Tokens {
  llvm::MapVector<Value, RingTokens> rings;
  llvm::MapVector<Value, QueueTokens> queues;
  /// Whether an agent has its turn among warpgroups, or among roles.
  SmallVector<int64_t> turns, roleTurns;
  /// How often an agent has met the others of its role.
  SmallVector<int64_t> meetings;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_ANALYSIS_TOKENS_H
