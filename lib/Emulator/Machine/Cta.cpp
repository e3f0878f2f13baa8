//===- Cta.cpp - Threads that share memory ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that the threads of a CTA share: shared memory, barriers, tensor
// cores, the register pool of `setmaxnreg`, and the values of special
// registers. CTAs are numbered along x first, as clusters are and as CTAs are
// within a cluster.
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Products/ProductOps.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;

/// Registers of a multiprocessor (sm_90).
static constexpr int64_t kRegisters = 65536;

Cta::Cta(Cluster &cluster, uint32_t rank, uint32_t number)
    : cluster(cluster), rank(rank), number(number),
      memory(kFirstSharedByte + cluster.getRun().kernel.staticShared +
             cluster.getRun().config.dynamicSharedBytes) {
  Run &run = cluster.getRun();
  const LaunchConfig &config = run.config;
  // Clusters are numbered along x first, and so are the CTAs in a cluster.
  unsigned clusters[3], first = cluster.getNumber(), own = rank;
  for (unsigned i = 0; i < 3; ++i) {
    clusters[i] = config.grid[i] / config.cluster[i];
    index[i] =
        first % clusters[i] * config.cluster[i] + own % config.cluster[i];
    first /= clusters[i];
    own /= config.cluster[i];
  }
  unsigned threads = run.countThreads();
  // The registers of each thread at launch, if the assembler uses the maximum.
  unsigned blocks = std::max(1u, run.kernel.kernel->minBlocks);
  int64_t each = std::min<int64_t>(kRegisters / blocks / threads / 8 * 8, 255);
  each = std::min<int64_t>(each / 8 * 8, 248);
  for (unsigned i = 0; i * kLanes < threads; ++i) {
    warps.push_back(std::make_unique<Warp>(*this, i, run.kernel));
    warps.back()->registers = each;
  }
  cores.resize((warps.size() + kGroupWarps - 1) / kGroupWarps);
  freeRegisters = kRegisters / blocks - each * int64_t(threads);
}

bool Cta::isFinished() const {
  return llvm::all_of(warps, [](const std::unique_ptr<Warp> &warp) {
    return warp->isFinished();
  });
}

uint64_t Cta::getSpecial(Special special, unsigned thread) const {
  const LaunchConfig &config = cluster.getRun().config;
  const unsigned *block = config.block, *size = config.cluster;
  unsigned lane = thread % kLanes;
  auto of = [](Special first, Special wanted) {
    return unsigned(wanted) - unsigned(first);
  };
  switch (special) {
  case Special::TidX:
    return thread % block[0];
  case Special::TidY:
    return thread / block[0] % block[1];
  case Special::TidZ:
    return thread / block[0] / block[1];
  case Special::NtidX:
  case Special::NtidY:
  case Special::NtidZ:
    return block[of(Special::NtidX, special)];
  case Special::CtaidX:
  case Special::CtaidY:
  case Special::CtaidZ:
    return index[of(Special::CtaidX, special)];
  case Special::NctaidX:
  case Special::NctaidY:
  case Special::NctaidZ:
    return config.grid[of(Special::NctaidX, special)];
  case Special::ClusterIdX:
  case Special::ClusterIdY:
  case Special::ClusterIdZ: {
    unsigned i = of(Special::ClusterIdX, special);
    return index[i] / size[i];
  }
  case Special::NclusterIdX:
  case Special::NclusterIdY:
  case Special::NclusterIdZ: {
    unsigned i = of(Special::NclusterIdX, special);
    return config.grid[i] / size[i];
  }
  case Special::ClusterCtaidX:
  case Special::ClusterCtaidY:
  case Special::ClusterCtaidZ: {
    unsigned i = of(Special::ClusterCtaidX, special);
    return index[i] % size[i];
  }
  case Special::ClusterNctaidX:
  case Special::ClusterNctaidY:
  case Special::ClusterNctaidZ:
    return size[of(Special::ClusterNctaidX, special)];
  case Special::ClusterCtarank:
    return rank;
  case Special::ClusterNctarank:
    return size[0] * size[1] * size[2];
  case Special::IsExplicitCluster:
    return size[0] * size[1] * size[2] > 1;
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return thread / kLanes;
  case Special::NwarpId:
    return (cluster.getRun().countThreads() + kLanes - 1) / kLanes;
  case Special::SmId:
    return number;
  case Special::NsmId:
    return config.grid[0] * config.grid[1] * config.grid[2];
  case Special::GridId:
    return 0;
  case Special::LanemaskEq:
    return Lanes(1) << lane;
  case Special::LanemaskLe:
    return llvm::maskTrailingOnes<Lanes>(lane + 1);
  case Special::LanemaskLt:
    return llvm::maskTrailingOnes<Lanes>(lane);
  case Special::LanemaskGe:
    return ~llvm::maskTrailingOnes<Lanes>(lane);
  case Special::LanemaskGt:
    return ~llvm::maskTrailingOnes<Lanes>(lane + 1);
  case Special::DynamicSharedBytes:
    return config.dynamicSharedBytes;
  case Special::TotalSharedBytes:
    return memory.getSize() - kFirstSharedByte;
  }
  return 0;
}
