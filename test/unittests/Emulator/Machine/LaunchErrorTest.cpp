//===- LaunchErrorTest.cpp - Launches that cannot begin -------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;

namespace {

TEST(LaunchErrorTest, NoMemoryForVariables) {
  auto module = parseModule(".global .b32 word;\n.entry k() { .reg .b32 %r<2>; "
                            "ld.global.b32 %r1, [word]; ret; }");
  auto program =
      llvm::cantFail(Program::load(*module, *module->kernels.front()));
  GlobalMemory memory;
  // Addresses end before the memory of the host does.
  while (memory.allocate(1)) {
  }
  std::vector<Finding> findings;
  EXPECT_EQ(
      llvm::toString(program->launch({}, {}, memory, {}, findings, nullptr)),
      "no memory for 'word'");
}

TEST(LaunchErrorTest, Configurations) {
  auto getError = [](auto set) {
    KernelRun run("ret;");
    set(run.config);
    return run.getError();
  };
  auto getParameterError =
      [](llvm::ArrayRef<llvm::SmallVector<uint8_t, 8>> parameters) {
        auto module = parseModule(".entry k(.param .u64 a) { ret; }");
        auto program =
            llvm::cantFail(Program::load(*module, *module->kernels.front()));
        GlobalMemory memory;
        std::vector<Finding> findings;
        return llvm::toString(
            program->launch({}, parameters, memory, {}, findings, nullptr));
      };
  llvm::SmallVector<uint8_t, 8> word(4);
  EXPECT_EQ(getParameterError({}), "kernel 'k' has 1 parameters, got 0");
  EXPECT_EQ(getParameterError({word}), "parameter 0 has 8 bytes, got 4");
  EXPECT_EQ(getError([](LaunchConfig &config) { config.block[1] = 0; }),
            "the grid, a block or a cluster is empty");
  EXPECT_EQ(getError([](LaunchConfig &config) {
              config.grid[0] = 3;
              config.cluster[0] = 2;
            }),
            "the grid is no multiple of the cluster");
  EXPECT_EQ(getError([](LaunchConfig &config) { config.block[1] = 33; }),
            "a block has 1056 threads and a cluster 1 blocks; at most 1024 and "
            "16 are possible");
  EXPECT_EQ(getError([](LaunchConfig &config) {
              config.grid[0] = config.cluster[0] = 17;
            }),
            "a block has 32 threads and a cluster 17 blocks; at most 1024 and "
            "16 are possible");
  EXPECT_EQ(getError([](LaunchConfig &config) {
              config.dynamicSharedBytes = 232448;
            }),
            "the kernel takes 240640 bytes of shared memory; a block has "
            "232448");
}

} // namespace
