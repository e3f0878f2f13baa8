//===- LaunchDevice.cpp - Devices of packaged kernels -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/LaunchDevice.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;

llvm::Expected<rt::DeviceRef> LaunchDevice::open() {
  llvm::Expected<std::shared_ptr<const rt::Driver>> driver =
      rt::Driver::open(driverPath);
  if (!driver)
    return llvm::createStringError(
        llvm::toString(driver.takeError()) +
        "; packages run on a machine with an NVIDIA GPU and its driver; "
        "'tile-run --device ptx' emulates their PTX on any machine");
  llvm::Expected<rt::DeviceRef> device = rt::Device::open(*driver, gpu);
  if (device)
    name = (*device)->getName().str();
  return device;
}

std::string LaunchDevice::describeTime(double milliseconds) const {
  return llvm::formatv("{0:f3} ms on {1}, the first launch; tile-bench "
                       "measures",
                       milliseconds, name)
      .str();
}
