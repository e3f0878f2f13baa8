//===- EmulatedDriverTest.cpp - The driver without a kernel -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedDriver.h"

#include "tessera/Emulator/TensorMap.h"

#include "gmock/gmock.h"

#include <cstring>
#include <thread>

using namespace tessera;
using emu::textOf;
using testing::HasSubstr;

namespace {

class EmulatedDriverTest : public emu::OpenedDriverTest {
protected:
  rt::CUdeviceptr allocate(size_t bytes) {
    rt::CUdeviceptr address = 0;
    EXPECT_EQ(say(driver->cuMemAlloc(&address, bytes)), "");
    return address;
  }
};

TEST_F(EmulatedDriverTest, IsAHopperWithTheAskedSize) {
  EXPECT_EQ(device->getName(), "PTX emulator");
  EXPECT_EQ(device->getComputeCapability(), 90);
  EXPECT_EQ(device->getMaxSharedMemory(), 232448);
  EXPECT_EQ(device->getNumMultiprocessors(), 2);
  emu::DeviceOptions options;
  options.multiprocessors = 132;
  emu::setDeviceOptions(options);
  auto larger = rt::Device::open(driver);
  EXPECT_EQ((*larger)->getNumMultiprocessors(), 132);
  int value = 0;
  EXPECT_EQ(say(driver->cuDeviceGetAttribute(&value, 99999, 0)),
            "call: CUDA_ERROR_INVALID_VALUE (the emulator does not know "
            "attribute 99999 of devices)");
  EXPECT_EQ(textOf(rt::Device::open(driver, 1).takeError()),
            "there is no device 1; the driver has 1");
}

TEST_F(EmulatedDriverTest, MissingFunctionsAreNamed) {
  auto adopted = rt::Driver::adopt("old", [](const char *name) -> void * {
    static int something;
    return strcmp(name, "cuLaunchKernelEx") ? &something : nullptr;
  });
  EXPECT_THAT(textOf(adopted.takeError()),
              HasSubstr("'old' lacks the function cuLaunchKernelEx"));
}

TEST_F(EmulatedDriverTest, CopiesAndRemembersWhatWasWritten) {
  rt::CUdeviceptr address = allocate(12);
  EXPECT_EQ(emu::findUnwritten(address, 3, 4).count, 3u);
  uint32_t two[2] = {7, 8}, back[3] = {};
  EXPECT_EQ(say(driver->cuMemcpyHtoDAsync(address, two, 6, nullptr)), "");
  EXPECT_EQ(say(driver->cuMemcpyDtoHAsync(back, address, 12, nullptr)), "");
  EXPECT_EQ(back[0], 7u);
  EXPECT_EQ(back[1], 0xffff0008u);
  EXPECT_EQ(back[2], ~0u);
  // A partly written element counts as unwritten.
  emu::UnwrittenElements unwritten = emu::findUnwritten(address, 3, 4);
  EXPECT_EQ(unwritten.count, 2u);
  EXPECT_EQ(unwritten.first, 1u);
  EXPECT_EQ(say(driver->cuMemsetD8Async(address + 4, 3, 8, nullptr)), "");
  EXPECT_EQ(emu::findUnwritten(address, 3, 4).count, 0u);
  EXPECT_EQ(say(driver->cuMemcpyDtoHAsync(back, address, 12, nullptr)), "");
  EXPECT_EQ(back[2], 0x03030303u);
  emu::forgetWrites(address);
  EXPECT_EQ(emu::findUnwritten(address, 3, 4).count, 3u);
  EXPECT_EQ(emu::findUnwritten(0, 0, 4).count, 0u);
  EXPECT_EQ(say(driver->cuMemFree(address)), "");
}

TEST_F(EmulatedDriverTest, RefusesCopiesBeyondAnAllocation) {
  rt::CUdeviceptr address = allocate(16);
  char bytes[32] = {};
  EXPECT_EQ(say(driver->cuMemcpyHtoDAsync(address + 8, bytes, 9, nullptr)),
            "call: CUDA_ERROR_INVALID_VALUE (9 bytes do not fit 8 bytes before "
            "the end of an allocation of 16 bytes)");
  emu::nameMemory(address, "parameter 'x'");
  EXPECT_THAT(say(driver->cuMemcpyDtoHAsync(bytes, address + 20, 1, nullptr)),
              HasSubstr("is 4 bytes after parameter 'x', of 16 bytes"));
  EXPECT_THAT(say(driver->cuMemsetD8Async(0, 0, 1, nullptr)),
              HasSubstr("0x0 is far from every allocation"));
  EXPECT_EQ(say(driver->cuMemFree(address)), "");
  EXPECT_THAT(say(driver->cuMemFree(address)),
              HasSubstr("nothing was allocated at 0x1"));
  EXPECT_THAT(say(driver->cuMemcpyHtoDAsync(address, bytes, 1, nullptr)),
              HasSubstr("CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(EmulatedDriverTest, MemoryEnds) {
  rt::CUdeviceptr address = 0;
  EXPECT_EQ(say(driver->cuMemAlloc(&address, size_t(1) << 50)),
            "call: CUDA_ERROR_OUT_OF_MEMORY (the host has no "
            "1125899906842624 bytes for the emulated device)");
  EXPECT_THAT(say(driver->cuMemAlloc(&address, 0)),
              HasSubstr("CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(EmulatedDriverTest, ReachesItsOwnMemoryAlone) {
  rt::CUdeviceptr address = allocate(16);
  int local = 0;
  EXPECT_TRUE(device->canReach(address));
  EXPECT_TRUE(device->canReach(address + 15));
  EXPECT_FALSE(device->canReach(address + 16));
  EXPECT_FALSE(device->canReach(reinterpret_cast<uint64_t>(&local)));
  EXPECT_EQ(say(driver->cuMemFree(address)), "");
  EXPECT_FALSE(device->canReach(address));
}

TEST_F(EmulatedDriverTest, StreamsAndEvents) {
  auto stream = rt::Stream::create(device);
  ASSERT_TRUE(bool(stream));
  unsigned long long first = 0, second = 0;
  EXPECT_EQ(say(driver->cuStreamGetId(stream->get(), &first)), "");
  auto other = rt::Stream::create(device);
  EXPECT_EQ(say(driver->cuStreamGetId(other->get(), &second)), "");
  EXPECT_NE(first, second);
  EXPECT_EQ(say(driver->cuStreamGetId(nullptr, &second)), "");
  int status = 1;
  EXPECT_EQ(say(driver->cuStreamIsCapturing(stream->get(), &status)), "");
  EXPECT_EQ(status, 0);

  auto start = rt::Event::create(device), stop = rt::Event::create(device);
  EXPECT_THAT(textOf(stop->getMillisecondsSince(*start).takeError()),
              HasSubstr("both events must have been recorded"));
  EXPECT_EQ(textOf(start->record(*stream)), "");
  EXPECT_EQ(textOf(stop->record(*stream)), "");
  auto took = stop->getMillisecondsSince(*start);
  ASSERT_TRUE(bool(took));
  EXPECT_GE(*took, 0);
  EXPECT_EQ(textOf(stream->wait()), "");

  rt::CUstream gone = nullptr;
  EXPECT_EQ(say(driver->cuStreamCreate(&gone, 0)), "");
  EXPECT_EQ(say(driver->cuStreamDestroy(gone)), "");
  EXPECT_EQ(say(driver->cuStreamSynchronize(gone)),
            "call: CUDA_ERROR_INVALID_HANDLE (this is no stream)");
  EXPECT_THAT(say(driver->cuStreamDestroy(gone)), HasSubstr("no stream"));
}

TEST_F(EmulatedDriverTest, ContextsAreOfThreads) {
  std::thread([&] {
    rt::CUdeviceptr address = 0;
    EXPECT_EQ(say(driver->cuMemAlloc(&address, 4)),
              "call: CUDA_ERROR_INVALID_CONTEXT (no context is current in this "
              "thread)");
    EXPECT_EQ(textOf(device->makeCurrent()), "");
    EXPECT_EQ(say(driver->cuMemAlloc(&address, 4)), "");
    EXPECT_EQ(say(driver->cuMemFree(address)), "");
  }).join();
  EXPECT_EQ(textOf(device->synchronize()), "");
}

TEST_F(EmulatedDriverTest, ErrorsHaveNamesAndTexts) {
  const char *text = nullptr;
  EXPECT_EQ(driver->cuGetErrorName(0, &text), 0);
  EXPECT_STREQ(text, "CUDA_SUCCESS");
  EXPECT_NE(driver->cuGetErrorName(123456, &text), 0);
  EXPECT_NE(driver->cuGetErrorString(123456, &text), 0);
  // The text of another error is not that of this one.
  EXPECT_NE(driver->cuMemFree(1), 0);
  EXPECT_EQ(driver->cuGetErrorString(719, &text), 0);
  EXPECT_STREQ(text, "");
}

TEST_F(EmulatedDriverTest, EncodesTensorMaps) {
  struct alignas(64) {
    uint8_t bytes[192];
  } map;
  uint64_t dims[2] = {64, 100}, strides[1] = {128};
  uint32_t box[2] = {64, 32}, steps[2] = {1, 1};
  auto encode = [&](uint8_t *to, unsigned rank, const uint32_t *boxes) {
    // bf16, swizzled over 128 bytes.
    return say(driver->cuTensorMapEncodeTiled(
        to, 9, rank, reinterpret_cast<void *>(uint64_t(1) << 40), dims, strides,
        boxes, steps, 0, 3, 2, 0));
  };
  EXPECT_EQ(encode(map.bytes, 2, box), "");
  auto decoded = emu::TensorMap::decode(llvm::ArrayRef(map.bytes, 128));
  ASSERT_TRUE(bool(decoded)) << llvm::toString(decoded.takeError());
  EXPECT_EQ(decoded->rank, 2u);
  EXPECT_EQ(decoded->dims[1], 100u);
  EXPECT_EQ(decoded->strides[0], 128u);
  EXPECT_EQ(decoded->box[1], 32u);
  EXPECT_EQ(decoded->swizzle, 3);
  EXPECT_THAT(encode(map.bytes + 16, 2, box), HasSubstr("a multiple of 64"));
  EXPECT_THAT(encode(map.bytes, 0, box), HasSubstr("1 to 5, got 0"));
  EXPECT_THAT(encode(map.bytes, 6, box), HasSubstr("1 to 5, got 6"));
  EXPECT_THAT(encode(map.bytes, 2, nullptr), HasSubstr("is null"));
  uint32_t large[2] = {64, 257};
  EXPECT_THAT(encode(map.bytes, 2, large),
              HasSubstr("CUDA_ERROR_INVALID_VALUE"));
}

#ifdef EMULATOR_LIBRARY
TEST_F(EmulatedDriverTest, IsALibraryToo) {
  auto opened = rt::Driver::open(EMULATOR_LIBRARY);
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  auto found = rt::Device::open(*opened);
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  EXPECT_EQ((*found)->getName(), "PTX emulator");
  auto memory = rt::DeviceBuffer::allocateZeros(*found, 8);
  ASSERT_TRUE(bool(memory)) << llvm::toString(memory.takeError());
  // Its state is its own.
  EXPECT_FALSE(device->canReach(memory->get()));
}
#endif

} // namespace
