//===- DeviceLaunch.h - A launch with its tensors on a GPU ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_DEVICELAUNCH_H
#define TESSERA_TOOLS_LAUNCH_DEVICELAUNCH_H

#include "tessera/Runtime/Launcher.h"
#include "tessera/Tools/launch/LaunchDevice.h"
#include "tessera/Tools/launch/LaunchRequest.h"

namespace tessera::tools {

/// A kernel on a device, with its arguments in device memory. As in the
/// interpreter, outputs are initialised to NaN, or -1.
class DeviceLaunch {
public:
  /// Loads the kernel on the device and copies the inputs. `request`, which
  /// must outlive the launch, was read from `package`.
  static llvm::Expected<DeviceLaunch> create(const rt::KernelPackage &package,
                                             const LaunchRequest &request,
                                             LaunchDevice &device);

  const rt::Device &getDevice() const { return stream.getDevice(); }
  const rt::Stream &getStream() const { return stream; }

  /// Queues the kernel.
  llvm::Error launch() const { return prepared.launch(stream); }

  /// Copies tensor parameter `index` back, when all work is done.
  llvm::Expected<array::NDArray> read(unsigned index) const;

  /// Counts the elements of tensor parameter `index` that no store wrote, if
  /// the device tracks them.
  Unwritten countUnwritten(unsigned index) const;

private:
  DeviceLaunch(const LaunchRequest &request, LaunchDevice &device,
               rt::Stream stream)
      : request(&request), device(&device), stream(std::move(stream)) {}

  const LaunchRequest *request;
  LaunchDevice *device;
  rt::Stream stream;
  /// One buffer per parameter, empty for scalars.
  std::vector<rt::DeviceBuffer> buffers;
  /// On the heap, since prepared launches refer to its address.
  std::unique_ptr<rt::Launcher> launcher;
  rt::Launcher::Prepared prepared;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_DEVICELAUNCH_H
