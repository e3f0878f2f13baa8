//===- ProgramOrder.h - Order between programs ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of a grid are ordered by atomic operations alone: an acquire that
// reads what a release has written happens after it. This class keeps what each
// place of global memory has been released with, and finds accesses of two
// programs that nothing orders. Executors run one program after the other, so
// the operations on a place have the order of their execution.
//
// A place keeps every access that a later one could race with. It drops an
// access that happened before a newer one, if all accesses that conflict with
// the old one conflict with the newer one as well.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_PROGRAMORDER_H
#define TESSERA_SIMULATOR_PROGRAMORDER_H

#include "tessera/Simulator/Clock.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tessera::sim {

/// Which other accesses an atomic operation orders (PTX ISA, "Memory
/// Consistency Model").
struct AtomicOrder {
  bool acquires = false, releases = false;
};

class ProgramOrder {
public:
  enum class Kind : uint8_t { Read, Write, Atomic };
  /// An access by an agent of a program.
  struct Access {
    uint32_t program = 0;
    Moment when;
    Kind kind = Kind::Read;
  };
  /// The places of one memory, such as a tensor.
  using Memory = const void *;

  /// Returns an earlier access to the place, by another program, with which
  /// `access` races. `clocks` are those of the agent.
  std::optional<Access> find(Memory memory, int64_t place, const Access &access,
                             const Clocks &clocks) const;
  /// Records an access. A write ends the release of the place before.
  void record(Memory memory, int64_t place, const Access &access,
              const Clocks &clocks);

  /// Applies the order of an atomic operation on the place: it acquires what
  /// was released there, into `acquired`. It releases what `clocks` know, and
  /// what it has acquired, if it `changes` the value. Otherwise an acquire may
  /// have read the equal value before, as after a second release of a lock.
  void synchronize(Memory memory, int64_t place, AtomicOrder order,
                   bool changes, uint32_t program, const Clocks &clocks,
                   OtherPrograms &acquired);

  /// Forgets all accesses: a barrier of the grid orders them and later ones.
  void forgetAccesses() { places.clear(); }

private:
  struct Place {
    SmallVector<Access, 2> accesses;
    OtherPrograms released;
  };
  llvm::DenseMap<std::pair<Memory, int64_t>, Place> places;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_PROGRAMORDER_H
