//===- EmulatedDevice.h - The emulator as a device of tools -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_EMULATEDDEVICE_H
#define TESSERA_TOOLS_LAUNCH_EMULATEDDEVICE_H

#include "tessera/Emulator/EmulatedDriver.h"
#include "tessera/Tools/ProgressBar.h"
#include "tessera/Tools/launch/LaunchDevice.h"
#include "tessera/Tools/launch/Orders.h"

namespace tessera::tools {

class FindingPrinter;

/// Runs the PTX of kernels on the CPU, once per interleaving, and prints the
/// defects of kernels at their lines. A process has at most one such device.
class EmulatedDevice : public LaunchDevice {
public:
  EmulatedDevice(std::unique_ptr<Orders> orders,
                 const emu::DeviceOptions &options);
  ~EmulatedDevice() override;

  llvm::Expected<rt::DeviceRef> open() override;
  /// Returns the limit on bytes. The history of accesses takes 12 bytes for
  /// each byte of a tensor. The limit keeps the emulator, like the interpreter,
  /// below 8 GiB.
  std::optional<int64_t> getMaxTensorBytes() const override {
    return int64_t(1) << 29;
  }
  void addTensor(const Parameter &parameter,
                 const rt::DeviceBuffer &buffer) override;
  Unwritten countUnwritten(const Parameter &parameter,
                           const rt::DeviceBuffer &buffer) override;
  bool hasReported() const override { return reported; }
  bool advance() override { return orders->advance(statistics.choices); }
  std::string describeRuns(bool hasFailed) const override {
    return orders->describe(hasFailed);
  }
  std::string describeTime(double milliseconds) const override;

private:
  std::unique_ptr<Orders> orders;
  emu::DeviceOptions options;
  std::unique_ptr<FindingPrinter> printer;
  /// Statistics of the last launch.
  emu::Statistics statistics;
  bool reported = false;
  ProgressBar bar{"clusters of blocks"};
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_EMULATEDDEVICE_H
