//===- Pipeline.cpp - Fetches in flight while others are used ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-pipeline. Blocks that share a multiprocessor overlap copies and
// products already, so the slots of a ring must not displace a block. The
// available shared memory is found by planning it for copies of the kernel.
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/RingDepth.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/SM/Transforms/SharedMemoryAllocation.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PIPELINEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

static int64_t pipelineLoops(KernelOp kernel, int64_t slots,
                             function_ref<void(FetchOp, StringRef)> refuse) {
  SmallVector<PipelinedLoop> found;
  kernel.walk([&](scf::ForOp loop) {
    PipelinedLoop pipelined(loop);
    if (succeeded(pipelined.match(refuse)))
      found.push_back(std::move(pipelined));
  });
  if (slots > 1)
    for (PipelinedLoop &loop : found)
      loop.rewrite(slots);
  return found.size();
}

namespace {
struct Pipeline : sm::impl::PipelinePassBase<Pipeline> {
  using PipelinePassBase::PipelinePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Planned ||
        !kernel.getBody().getOps<RoleOp>().empty())
      return;
    int64_t loops =
        pipelineLoops(kernel, /*slots=*/1, [&](FetchOp fetch, StringRef why) {
          if (remarks)
            fetch.emitRemark() << "this fetch is waited for at once: " << why
                               << " [fetch-waited-for]";
        });
    if (loops == 0)
      return;
    int64_t count = chooseSlots(kernel);
    if (count < 2)
      return;
    pipelineLoops(kernel, count, [](FetchOp, StringRef) {});
    numLoops += loops;
  }

  /// Returns two slots if the same number of blocks fits as without them; for
  /// a single block, the most slots that fit.
  int64_t chooseSlots(KernelOp kernel) {
    const GpuTarget &target = getTarget(kernel);
    int64_t limit = target.sharedMemoryPerBlock;
    int64_t wanted = cost::kDefaultSlots;
    if (tile::ScheduleAttr schedule = kernel.getScheduleAttr())
      wanted = schedule.getStages() ? schedule.getStages() : wanted;
    if (stages > 0)
      wanted = stages;
    std::optional<int64_t> plain = findSharedMemoryBytes(kernel);
    // If it does not fit as it is, that is said where addresses are set.
    if (!plain || *plain > limit || wanted < 2)
      return 1;
    int64_t blocks = std::min(estimateBlocks(kernel),
                              getBlocksInSharedMemory(target, *plain));
    // Others hide what two slots do not; more would take of the cache that
    // fetches of unaligned rows go through.
    if (blocks > 1 && stages == 0)
      wanted = 2;
    int64_t bytes = 0;
    for (int64_t count = std::min(wanted, kMostRingSlots); count > 1; --count) {
      OwningOpRef<KernelOp> copy = kernel.clone();
      pipelineLoops(*copy, count, [](FetchOp, StringRef) {});
      bytes = findSharedMemoryBytes(*copy).value_or(limit + 1);
      // An explicit option overrides this rule.
      if (bytes <= limit &&
          (stages > 0 || getBlocksInSharedMemory(target, bytes) >= blocks))
        return count;
    }
    if (remarks)
      kernel.emitRemark() << "fetches are waited for at once: two slots take "
                          << bytes << " bytes of shared memory, and " << blocks
                          << " blocks of " << *plain
                          << " bytes share a multiprocessor without them"
                          << " [fetches-take-room]";
    return 1;
  }
};
} // namespace
