//===- OpenedDriver.h - Tests on the emulated driver ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_DRIVER_OPENEDDRIVER_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_DRIVER_OPENEDDRIVER_H

#include "tessera/Emulator/EmulatedDriver.h"
#include "tessera/Runtime/Device.h"

#include "gtest/gtest.h"

namespace tessera::emu {

inline std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// A test with the emulated driver and its device.
class OpenedDriverTest : public testing::Test {
protected:
  void SetUp() override {
    setDeviceOptions({});
    auto opened = openEmulatedDriver();
    ASSERT_TRUE(bool(opened)) << textOf(opened.takeError());
    driver = *opened;
    auto found = rt::Device::open(driver);
    ASSERT_TRUE(bool(found)) << textOf(found.takeError());
    device = *found;
  }

  /// Returns the driver's text for `result`, or "".
  std::string say(rt::CUresult result) {
    return textOf(driver->check(result, "call"));
  }

  std::shared_ptr<const rt::Driver> driver;
  rt::DeviceRef device;
};

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_DRIVER_OPENEDDRIVER_H
