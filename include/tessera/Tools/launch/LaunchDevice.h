//===- LaunchDevice.h - Where kernels of packages run -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU with the machine's driver; or a device that can tell more than a GPU
// does (EmulatedRun.h), and runs a kernel several times.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H
#define TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H

#include "tessera/Runtime/Device.h"
#include "tessera/Tools/launch/Report.h"

namespace tessera::tools {

class LaunchDevice {
public:
  /// Device number `gpu`. The path of the driver is empty for that of the
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

  /// Is told of the memory of each tensor when its contents are there.
  virtual void addTensor(const Parameter &parameter,
                         const rt::DeviceBuffer &buffer) {}
  /// Elements of a tensor that nothing has written, where this is known.
  virtual Unwritten countUnwritten(const Parameter &parameter,
                                   const rt::DeviceBuffer &buffer) {
    return {};
  }

  /// Whether what is wrong with the kernel was said already.
  virtual bool hasReported() const { return false; }
  /// After a launch that was right: whether there is another one to make.
  virtual bool advance() { return false; }
  /// What is to be said after the last launch, if anything.
  virtual std::string describeRuns(bool hasFailed) const { return ""; }
  /// For --time.
  virtual std::string describeTime(double milliseconds) const;

protected:
  int gpu;
  std::string driverPath;
  /// Of the device that is open.
  std::string name;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_LAUNCHDEVICE_H
