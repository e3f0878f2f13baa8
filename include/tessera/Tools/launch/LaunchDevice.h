//===- LaunchDevice.h - Devices of packaged kernels -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU with the driver of the machine, or a device that observes more than a
// GPU and runs a kernel several times (EmulatedRun.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H
#define TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H

#include "tessera/Runtime/Device.h"
#include "tessera/Tools/launch/Report.h"

namespace tessera::tools {

class LaunchDevice {
public:
  /// Selects device number `gpu`. An empty path of the driver means that of the
  /// system.
  explicit LaunchDevice(int gpu, llvm::StringRef driverPath = {})
      : gpu(gpu), driverPath(driverPath) {}
  virtual ~LaunchDevice() = default;

  virtual llvm::Expected<rt::DeviceRef> open();

  /// Returns the limit on the total bytes of the tensors of a launch, if the
  /// device needs more host memory than the tensors themselves.
  virtual std::optional<int64_t> getMaxTensorBytes() const {
    return std::nullopt;
  }

  /// Called with the memory of each tensor after its contents are copied.
  virtual void addTensor(const Parameter &parameter, const array::Shape &shape,
                         const rt::DeviceBuffer &buffer) {}
  /// Counts the elements of a tensor that no store wrote, if the device tracks
  /// them.
  virtual Unwritten countUnwritten(const Parameter &parameter,
                                   const rt::DeviceBuffer &buffer) {
    return {};
  }

  /// Checks whether defects of the kernel were already reported.
  virtual bool hasReported() const { return false; }
  /// Returns, after a correct launch, whether another launch follows.
  virtual bool advance() { return false; }
  /// Returns the message after the last launch, or an empty text.
  virtual std::string describeRuns(bool hasFailed) const { return ""; }
  /// Describes a time for --time.
  virtual std::string describeTime(double milliseconds) const;

protected:
  int gpu;
  std::string driverPath;
  /// Name of the open device.
  std::string name;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H
