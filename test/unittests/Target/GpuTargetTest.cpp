//===- GpuTargetTest.cpp - The table of targets -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How targets are found, and that the limits of each row agree with each other.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/GpuTarget.h"

#include "gtest/gtest.h"

using namespace tessera;

namespace {

TEST(GpuTarget, IsFoundByName) {
  ASSERT_NE(findGpuTarget("sm_90a"), nullptr);
  EXPECT_EQ(findGpuTarget("sm_90a"), &getDefaultGpuTarget());
  EXPECT_EQ(findGpuTarget("sm_9"), nullptr);
  EXPECT_EQ(findGpuTarget(""), nullptr);
  EXPECT_EQ(listGpuTargets(), "sm_90a");
}

TEST(GpuTarget, LimitsAgree) {
  for (const GpuTarget &target : getGpuTargets()) {
    EXPECT_EQ(target.sharedMemoryPerBlock + target.reservedSharedMemoryPerBlock,
              target.sharedMemoryPerSM);
    EXPECT_LE(target.threadsPerBlock, target.threadsPerSM);
    EXPECT_EQ(target.maxMaxRegisters % target.registerStep, 0);
    EXPECT_EQ(target.minMaxRegisters % target.registerStep, 0);
    EXPECT_EQ(target.wgmmaMaxN % target.wgmmaStepN, 0);
    EXPECT_GT(target.memoryBandwidth, 0);
    EXPECT_GT(target.fmaRate, target.memoryBandwidth);
    EXPECT_GT(target.tensorRate16, target.fmaRate);
    EXPECT_GT(target.tensorRate8, target.tensorRate16);
  }
}

} // namespace
