//===- DeviceTest.cpp - Devices and what lives on them ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resources are released, and every error has the driver's name.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "gmock/gmock.h"

using namespace tessera;
using namespace tessera::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class DeviceTest : public FakeDriverTest {};

TEST_F(DeviceTest, DriversThatCannotBeOpened) {
  EXPECT_THAT(textOf(Driver::open("/no/libcuda.so")),
              HasSubstr("cannot open the CUDA driver: "));
  EXPECT_THAT(textOf(Driver::open("libm.so.6")),
              HasSubstr("the CUDA driver 'libm.so.6' lacks the function "
                        "cuGetErrorName; it is older than CUDA 12"));
  fakecuda::failAt("cuInit", 100);
  EXPECT_EQ(textOf(Driver::open(FAKE_CUDA)), "cuInit: CUDA_ERROR_NO_DEVICE");
}

TEST_F(DeviceTest, KnowsTheDevice) {
  DeviceRef device = openDevice();
  EXPECT_EQ(device->getName(), "Fake GPU");
  EXPECT_EQ(device->getComputeCapability(), 90);
  EXPECT_EQ(device->getNumMultiprocessors(), 132);
  EXPECT_EQ(device->getMaxSharedMemory(), 227 * 1024);
  EXPECT_EQ(textOf(Device::open(unwrap(Driver::open(FAKE_CUDA)), 1)),
            "there is no device 1; the driver has 1");
}

TEST_F(DeviceTest, EveryFailureWhileOpeningIsReported) {
  for (const char *call : {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
                           "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
                           "cuCtxSetCurrent"}) {
    fakecuda::reset();
    fakecuda::failAt(call, 1);
    EXPECT_EQ(textOf(Device::open(unwrap(Driver::open(FAKE_CUDA)))),
              std::string(call) + ": CUDA_ERROR_INVALID_VALUE");
    EXPECT_EQ(fakecuda::countAlive(), 0) << call;
  }
}

TEST_F(DeviceTest, ErrorsCarryCodeNameAndText) {
  DeviceRef device = openDevice();
  fakecuda::failAt("cuMemAlloc", 2);
  llvm::Error error = DeviceBuffer::allocate(device, 64).takeError();
  llvm::handleAllErrors(std::move(error), [](const DriverError &e) {
    EXPECT_EQ(e.getCode(), 2);
    EXPECT_EQ(e.getName(), "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(e.message(),
              "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  });
  fakecuda::failAt("cuStreamCreate", 12345);
  EXPECT_EQ(textOf(Stream::create(device)),
            "cuStreamCreate: an error that the driver has no name for");
}

TEST_F(DeviceTest, MemoryIsCopiedAndGivenBack) {
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  DeviceBuffer buffer = unwrap(DeviceBuffer::allocate(device, 4));
  uint8_t from[] = {1, 2, 3, 4}, to[4] = {};
  EXPECT_EQ(textOf(buffer.upload(from, stream)), "");
  EXPECT_EQ(textOf(buffer.download(to, stream)), "");
  EXPECT_EQ(textOf(stream.wait()), "");
  EXPECT_THAT(to, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(textOf(buffer.fill(9, stream)), "");
  EXPECT_EQ(textOf(buffer.download(to, stream)), "");
  EXPECT_THAT(to, ElementsAre(9, 9, 9, 9));
  EXPECT_EQ(textOf(buffer.upload(llvm::ArrayRef(from, 3), stream)),
            "the buffer on the device has 4 bytes, but the one on the host 3");

  DeviceBuffer other = unwrap(DeviceBuffer::allocate(device, 8));
  int alive = fakecuda::countAlive();
  other = std::move(buffer);
  EXPECT_EQ(other.size(), 4u);
  DeviceBuffer last(std::move(other));
  EXPECT_EQ(last.size(), 4u);
  EXPECT_LE(fakecuda::countAlive(), alive);
}

TEST_F(DeviceTest, EmptyBuffersNeedNoMemory) {
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  DeviceBuffer buffer = unwrap(DeviceBuffer::allocate(device, 0));
  EXPECT_EQ(buffer.get(), 0u);
  EXPECT_EQ(textOf(buffer.upload({}, stream)), "");
  EXPECT_EQ(textOf(buffer.fill(1, stream)), "");
}

TEST_F(DeviceTest, ErrorsOfEarlierWorkComeFromWaiting) {
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  fakecuda::failAt("cuStreamSynchronize", 700);
  EXPECT_EQ(textOf(stream.wait()),
            "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(DeviceTest, EventsMeasure) {
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  Event start = unwrap(Event::create(device));
  Event stop = unwrap(Event::create(device));
  fakecuda::setTimes({2.5});
  EXPECT_EQ(textOf(start.record(stream)), "");
  EXPECT_EQ(textOf(stop.record(stream)), "");
  EXPECT_EQ(textOf(stop.wait()), "");
  EXPECT_EQ(unwrap(stop.getMillisecondsSince(start)), 2.5);
}

} // namespace
