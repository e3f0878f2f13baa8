//===- GlobalMemoryTest.cpp - The memory of the emulated device -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/GlobalMemory.h"

#include "gtest/gtest.h"
#include <unistd.h>

using namespace tessera::emu;

namespace {

TEST(GlobalMemoryTest, NewBytesArePoisonThatNobodyWrote) {
  GlobalMemory memory;
  uint64_t address = memory.allocate(3);
  Allocation *found = memory.find(address, 3);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->address, address);
  EXPECT_EQ(found->bytes, std::vector<uint8_t>({0xff, 0xff, 0xff}));
  EXPECT_EQ(found->isWritten, std::vector<bool>({false, false, false}));
  EXPECT_EQ(memory.findStart(address), found);
  EXPECT_EQ(memory.findStart(address + 1), nullptr);
}

TEST(GlobalMemoryTest, AddressesAreAlignedAndFarApart) {
  GlobalMemory memory;
  uint64_t last = 0;
  for (uint64_t bytes : {1, 512, 1 << 20, (1 << 20) + 1, 7}) {
    uint64_t address = memory.allocate(bytes);
    EXPECT_GE(address, uint64_t(1) << 40);
    EXPECT_EQ(address % (1 << 20), 0u);
    if (last)
      EXPECT_GE(address, last + (uint64_t(1) << 36));
    last = address + bytes;
  }
}

TEST(GlobalMemoryTest, FindsWhatLiesInOneAllocationAsAWhole) {
  GlobalMemory memory;
  uint64_t a = memory.allocate(16), b = memory.allocate(16);
  EXPECT_EQ(memory.find(a, 16)->address, a);
  EXPECT_EQ(memory.find(a + 15, 1)->address, a);
  EXPECT_EQ(memory.find(b + 8, 8)->address, b);
  EXPECT_EQ(memory.find(a - 1, 1), nullptr);
  EXPECT_EQ(memory.find(a + 15, 2), nullptr);
  EXPECT_EQ(memory.find(a + 16, 1), nullptr);
  EXPECT_EQ(memory.find(a, b - a + 1), nullptr);
  EXPECT_EQ(memory.find(a, ~uint64_t(0)), nullptr);
  EXPECT_EQ(memory.find(a + 1, ~uint64_t(0)), nullptr);
  EXPECT_EQ(memory.find(~uint64_t(0), 1), nullptr);
  EXPECT_EQ(memory.find(0, 4), nullptr);
}

TEST(GlobalMemoryTest, FreesOnce) {
  GlobalMemory memory;
  uint64_t a = memory.allocate(16), b = memory.allocate(16);
  EXPECT_FALSE(memory.free(a + 4));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_EQ(memory.find(a, 1), nullptr);
  // A dangling address is not given to anybody else while others live.
  EXPECT_NE(memory.allocate(16), a);
  EXPECT_TRUE(memory.find(b, 16));
}

TEST(GlobalMemoryTest, ARunThatIsRepeatedGetsTheSameAddresses) {
  GlobalMemory memory;
  uint64_t a = memory.allocate(100), b = memory.allocate(200);
  memory.find(a, 1)->isWritten[0] = true;
  memory.free(a);
  memory.free(b);
  EXPECT_EQ(memory.allocate(100), a);
  EXPECT_EQ(memory.allocate(200), b);
  EXPECT_FALSE(memory.find(a, 1)->isWritten[0]);
}

TEST(GlobalMemoryTest, ThereIsAnEndOfMemory) {
  GlobalMemory memory;
  EXPECT_EQ(memory.allocate(0), 0u);
  for (uint64_t bytes : {uint64_t(1) << 55, uint64_t(1) << 63, ~uint64_t(0)})
    EXPECT_EQ(memory.allocate(bytes), 0u);
  // The history of accesses to it would not fit.
  uint64_t physical =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(memory.allocate(physical / 8), 0u);
  EXPECT_NE(memory.allocate(1), 0u);
}

TEST(GlobalMemoryTest, SaysWhereAnAddressIs) {
  GlobalMemory memory;
  EXPECT_EQ(memory.describe(16), "far from every allocation");
  uint64_t a = memory.allocate(4096), b = memory.allocate(1);
  EXPECT_EQ(memory.describe(a + 4096),
            "right after an allocation of 4096 bytes");
  EXPECT_EQ(memory.describe(a + 4100),
            "4 bytes after an allocation of 4096 bytes");
  EXPECT_EQ(memory.describe(a + 4094),
            "2 bytes before the end of an allocation of 4096 bytes");
  EXPECT_EQ(memory.describe(b - 1), "1 byte before an allocation of 1 byte");
  EXPECT_EQ(memory.describe(0), "far from every allocation");
  EXPECT_EQ(memory.describe(~uint64_t(0)), "far from every allocation");
  memory.find(a, 1)->name = "parameter 'a'";
  EXPECT_EQ(memory.describe(a - 8),
            "8 bytes before parameter 'a', of 4096 bytes");
  EXPECT_EQ(memory.describe(a + 4096 + 5000),
            "5000 bytes after parameter 'a', of 4096 bytes");
}

} // namespace
