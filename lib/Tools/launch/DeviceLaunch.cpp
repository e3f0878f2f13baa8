//===- DeviceLaunch.cpp - A launch with its tensors on a GPU ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/DeviceLaunch.h"

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
using llvm::Error;
using llvm::Expected;

/// All bits set: NaN in every float type, -1 in every signed integer type.
static constexpr uint8_t kPoison = 0xff;

Expected<DeviceLaunch> DeviceLaunch::create(const rt::KernelPackage &package,
                                            const LaunchRequest &request,
                                            LaunchDevice &launchDevice) {
  Expected<rt::DeviceRef> device = launchDevice.open();
  if (!device)
    return device.takeError();
  Expected<rt::Launcher> launcher =
      rt::Launcher::load(*device, package, request.metadata->name);
  if (!launcher)
    return launcher.takeError();
  Expected<rt::Stream> stream = rt::Stream::create(*device);
  if (!stream)
    return stream.takeError();

  DeviceLaunch launch(request, launchDevice, std::move(*stream));
  launch.launcher = std::make_unique<rt::Launcher>(std::move(*launcher));
  std::vector<uint64_t> addresses;
  for (auto [i, parameter] : llvm::enumerate(request.signature.parameters)) {
    Expected<rt::DeviceBuffer> buffer = rt::DeviceBuffer::allocate(
        *device, parameter.isTensor ? request.getNumBytes(i) : 0);
    if (!buffer)
      return llvm::createStringError(
          "no memory for '" + parameter.name +
          "': " + llvm::toString(buffer.takeError()));
    const NDArray &contents = request.contents[i];
    Error error = !parameter.isTensor ? Error::success()
                  : parameter.isOutput()
                      ? buffer->fill(kPoison, launch.stream)
                      : buffer->upload(llvm::ArrayRef(contents.getBytes(),
                                                      contents.getNumBytes()),
                                       launch.stream);
    if (error)
      return std::move(error);
    addresses.push_back(buffer->get());
    launch.buffers.push_back(std::move(*buffer));
  }
  if (Error error = launch.stream.wait())
    return std::move(error);
  for (auto [i, parameter] : llvm::enumerate(request.signature.parameters))
    if (parameter.isTensor)
      launchDevice.addTensor(parameter, request.shapes[i], launch.buffers[i]);
  Expected<rt::Launcher::Prepared> prepared =
      launch.launcher->prepare(request.getArguments(addresses), request.given);
  if (!prepared)
    return prepared.takeError();
  launch.prepared = std::move(*prepared);
  return std::move(launch);
}

Expected<NDArray> DeviceLaunch::read(unsigned index) const {
  NDArray contents(request->signature.parameters[index].type,
                   request->shapes[index]);
  if (Error error = buffers[index].download(
          llvm::MutableArrayRef(contents.getBytes(), contents.getNumBytes()),
          stream))
    return std::move(error);
  if (Error error = stream.wait())
    return std::move(error);
  return contents;
}

Unwritten DeviceLaunch::countUnwritten(unsigned index) const {
  return device->countUnwritten(request->signature.parameters[index],
                                buffers[index]);
}
