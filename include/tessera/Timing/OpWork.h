//===- OpWork.h - Demands of operations on units ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that an operation becomes, counted per thread, and the time
// that they take. Elements of 16 bits are computed as f32, one by one. Scalars
// cost nothing: the uniform datapath computes them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_OPWORK_H
#define TESSERA_TIMING_OPWORK_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Timing/Multiprocessor.h"

namespace tessera::timing {

/// Returns the work of `op` in registers and shared memory for one agent, which
/// is one of `agents` that execute it together. Waits, MMAs and copies are not
/// work.
Work getWork(Operation *op, int64_t agents, const TimingConstants &constants);

/// The work of operations, counted once for each of them: a clock executes the
/// operations of a loop many times.
class WorkTable {
public:
  explicit WorkTable(const TimingConstants &constants) : constants(constants) {}

  /// Returns the work of `op`, as `getWork` does.
  const Work &get(Operation *op, int64_t agents);

private:
  const TimingConstants &constants;
  llvm::DenseMap<std::pair<Operation *, int64_t>, Work> works;
};

/// The wgmmas of one warpgroup.
struct MmaWork {
  double count = 0;
  double cycles = 0;
  /// Bytes that one of them reads in shared memory.
  double bytes = 0;
};

/// Returns the wgmmas that `op`, an MmaOp or MmaIssueOp, issues on each of
/// `warpgroups` warpgroups.
MmaWork getMmaWork(Operation *op, int64_t warpgroups,
                   const TimingConstants &constants);

} // namespace tessera::timing

#endif // TESSERA_TIMING_OPWORK_H
