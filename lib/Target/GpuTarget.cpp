//===- GpuTarget.cpp - The table of targets ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only table of the capabilities of targets.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/GpuTarget.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

static constexpr int64_t kKiB = 1024;

static constexpr int64_t kTera = 1'000'000'000'000;

/// Returns H100, H200 and GH200, with the instructions that only this
/// generation has. Rates are those of the H200.
static constexpr GpuTarget makeSm90a() {
  GpuTarget target;
  target.name = "sm_90a";
  target.features = "+ptx88";
  target.registersPerSM = 65536;
  target.registersPerThread = 255;
  target.registerStep = 8;
  target.minMaxRegisters = 24;
  target.maxMaxRegisters = 256;
  target.warpSize = 32;
  target.threadsPerBlock = 1024;
  target.threadsPerSM = 2048;
  target.blocksPerSM = 32;
  target.blocksPerCluster = 8;
  target.namedBarriers = 16;
  target.sharedMemoryPerBlock = 227 * kKiB;
  target.sharedMemoryPerSM = 228 * kKiB;
  target.reservedSharedMemoryPerBlock = kKiB;
  target.mbarrierMaxCount = (1 << 20) - 1;
  target.mbarrierMaxBytes = (1 << 20) - 1;
  target.tmaMaxRank = 5;
  target.tmaBoxExtent = 256;
  target.tmaGlobalAlignment = 16;
  target.tmaBoxAlignment = 16;
  target.tmaSharedAlignment = 128;
  target.tmaElementStride = 8;
  target.warpsPerWarpgroup = 4;
  target.wgmmaM = 64;
  target.wgmmaMaxN = 256;
  target.wgmmaStepN = 8;
  target.tensorRate16 = 989 * kTera;
  target.tensorRate8 = 1979 * kTera;
  target.fmaRate = 67 * kTera;
  target.multiprocessors = 132;
  target.memoryBandwidth = 48 * kTera / 10;
  return target;
}

static constexpr GpuTarget kTargets[] = {makeSm90a()};

int64_t GpuTarget::getRegistersAtEntry(int64_t threads) const {
  int64_t share = registersPerSM / threads / registerStep * registerStep;
  return std::min(share, maxMaxRegisters);
}

int64_t GpuTarget::getWgmmaColumns(int64_t n, bool ofIntegers) const {
  for (int64_t columns = std::min(n, wgmmaMaxN); columns >= wgmmaStepN;
       --columns) {
    // Integers support no odd multiples of 8, except 8 and 24.
    bool isOdd = columns % (2 * wgmmaStepN) != 0;
    if (columns % wgmmaStepN == 0 && n % columns == 0 &&
        !(ofIntegers && isOdd && columns > 3 * wgmmaStepN))
      return columns;
  }
  return 0;
}

llvm::ArrayRef<GpuTarget> tessera::getGpuTargets() { return kTargets; }

const GpuTarget *tessera::findGpuTarget(llvm::StringRef name) {
  for (const GpuTarget &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

const GpuTarget &tessera::getDefaultGpuTarget() { return kTargets[0]; }

std::string tessera::listGpuTargets() {
  return llvm::join(
      llvm::map_range(kTargets,
                      [](const GpuTarget &target) { return target.name; }),
      ", ");
}
