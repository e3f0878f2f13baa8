//===- EmulatorLibraryTest.cpp - The emulator for other programs
//-------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Uses the library as any CUDA program does: finds the functions of the driver
// by name.

#include "tessera/Emulator/EmulatorControls.h"
#include "tessera/Runtime/Driver.h"

#include "gmock/gmock.h"

#include <dlfcn.h>

using namespace tessera::rt;
using testing::HasSubstr;
using testing::StartsWith;

#ifdef EMULATOR_LIBRARY

namespace {

class EmulatorLibraryTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(EMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    CUcontext context = nullptr;
    ASSERT_EQ(get<CUresult(unsigned)>("cuInit")(0), 0);
    ASSERT_EQ(get<CUresult(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain")(
                  &context, 0),
              0);
    ASSERT_EQ(get<CUresult(CUcontext)>("cuCtxSetCurrent")(context), 0);
  }
  void TearDown() override {
    EXPECT_EQ(setOrder("program", 0), 0);
    dlclose(library);
  }

  template <typename Function>
  Function *get(const char *name) {
    void *found = dlsym(library, name);
    EXPECT_TRUE(found) << name;
    return reinterpret_cast<Function *>(found);
  }
  int setOrder(const char *order, uint64_t seed) {
    return get<decltype(tesseraEmulatorSetOrder)>("tesseraEmulatorSetOrder")(
        order, seed);
  }
  std::string getFindings() {
    return get<decltype(tesseraEmulatorGetFindings)>(
        "tesseraEmulatorGetFindings")();
  }
  uint64_t getSteps() {
    return get<decltype(tesseraEmulatorGetSteps)>("tesseraEmulatorGetSteps")();
  }

  /// Loads and launches a kernel of one warp that has an address.
  CUresult launch(const char *body, CUdeviceptr address) {
    std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n"
                       ".visible .entry k(.param .u64 to) {\n"
                       ".reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
                       "ld.param.u64 %rd1, [to];\n mov.u32 %r1, %tid.x;\n"
                       "mul.wide.u32 %rd2, %r1, 4;\n"
                       "add.s64 %rd2, %rd2, %rd1;\n";
    text += body;
    text += "\n}\n";
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(
        (get<CUresult(CUmodule *, const void *, unsigned, int *, void **)>(
            "cuModuleLoadDataEx")(&module, text.c_str(), 0, nullptr, nullptr)),
        0);
    EXPECT_EQ((get<CUresult(CUfunction *, CUmodule, const char *)>(
                  "cuModuleGetFunction")(&function, module, "k")),
              0);
    void *parameters[] = {&address};
    return get<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, CUstream, void **,
                        void **)>("cuLaunchKernel")(
        function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
  }

  void *library = nullptr;
};

TEST_F(EmulatorLibraryTest, MemoryAndLaunches) {
  auto upload =
      get<CUresult(CUdeviceptr, const void *, size_t)>("cuMemcpyHtoD_v2");
  auto download = get<CUresult(void *, CUdeviceptr, size_t)>("cuMemcpyDtoH_v2");
  auto set = get<CUresult(CUdeviceptr, unsigned char, size_t)>("cuMemsetD8_v2");
  CUdeviceptr address = 0;
  ASSERT_EQ(
      (get<CUresult(CUdeviceptr *, size_t)>("cuMemAlloc_v2")(&address, 128)),
      0);
  uint32_t words[32] = {40, 30, 20};
  EXPECT_EQ(set(address, 1, 128), 0);
  EXPECT_EQ(upload(address, words, 12), 0);
  EXPECT_EQ(launch("ld.global.u32 %r2, [%rd2];\n add.u32 %r2, %r2, %r1;\n"
                   "st.global.u32 [%rd2], %r2;",
                   address),
            0);
  EXPECT_EQ(download(words, address, 128), 0);
  EXPECT_EQ(words[0], 40u);
  EXPECT_EQ(words[2], 22u);
  EXPECT_EQ(words[31], 0x01010101u + 31);
  // Four of the parameter and the address, and three of the body.
  EXPECT_EQ(getSteps(), 7u);
  EXPECT_EQ(getFindings(), "");
  EXPECT_EQ(get<CUresult(CUdeviceptr)>("cuMemFree_v2")(address), 0);
}

TEST_F(EmulatorLibraryTest, FindingsHaveTheirOtherSides) {
  EXPECT_EQ(launch(".shared .b32 a;\n st.shared.u32 [a], 1;\n"
                   ".reg .pred %p;\n setp.eq.u32 %p, %r1, 5;\n"
                   "@%p mov.u32 %r2, 7;\n add.u32 %r3, %r2, 1;\n"
                   "st.shared.u32 [a], %r3;",
                   0),
            719);
  EXPECT_EQ(getFindings(),
            "k.ptx:15:2: reads the register '%r2', which nobody has written, "
            "in thread 0 (warp 0)\n"
            "note: k.ptx:16:1: what comes of it is used here\n");
}

TEST_F(EmulatorLibraryTest, Orders) {
  for (const char *order : {"program", "late", "early", "random"})
    EXPECT_EQ(setOrder(order, 1), 0) << order;
  EXPECT_EQ(setOrder("sorted", 0), 1);
  EXPECT_EQ(setOrder(nullptr, 0), 1);
}

} // namespace

#endif
