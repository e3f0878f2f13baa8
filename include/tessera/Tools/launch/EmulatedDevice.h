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

/// The limit on the bytes of all tensors. The history of accesses takes 12
/// bytes for each byte of a tensor. The limit keeps the emulator, like the
/// interpreter, below 8 GiB.
inline constexpr int64_t kMaxEmulatedTensorBytes = int64_t(1) << 29;

/// Returns the options of the device for a request. The default of `stepLimit`
/// is that of the emulator.
llvm::Expected<emu::DeviceOptions>
getDeviceOptions(const OrderRequest &request,
                 std::optional<uint64_t> stepLimit);

/// Runs the PTX of kernels on the CPU, once per interleaving, and prints the
/// defects of kernels at their lines. A process has at most one such device.
class EmulatedDevice : public LaunchDevice {
public:
  /// Defects are printed to `os`.
  EmulatedDevice(std::unique_ptr<Orders> orders,
                 const emu::DeviceOptions &options,
                 llvm::raw_ostream &os = llvm::errs());
  ~EmulatedDevice() override;

  /// Adds the text of a source that messages quote, which is then not read.
  void addSource(llvm::StringRef file, llvm::StringRef text);

  llvm::Expected<rt::DeviceRef> open() override;
  std::optional<int64_t> getMaxTensorBytes() const override {
    return kMaxEmulatedTensorBytes;
  }
  void addTensor(const Parameter &parameter, const array::Shape &shape,
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
