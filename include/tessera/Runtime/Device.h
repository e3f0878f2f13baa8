//===- Device.h - Devices and their resources -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device and its resources. Each resource owns its handle and keeps its
// device alive. Each can be moved, not copied. Every call that the driver may
// refuse returns an error with the driver's name for it. Destructors cannot
// return errors and ignore them: `wait` reports an error of earlier work.
//
// Threads: a Device may be shared, but its context is current in the thread
// that opened it. Other threads call `makeCurrent` first.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_DEVICE_H
#define TESSERA_RUNTIME_DEVICE_H

#include "tessera/Runtime/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <utility>

namespace tessera::rt {

class Device {
public:
  /// Opens device number `ordinal` and makes its primary context current.
  static llvm::Expected<std::shared_ptr<const Device>>
  open(std::shared_ptr<const Driver> driver, int ordinal = 0);

  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  llvm::Error makeCurrent() const;

  /// Waits for all work in the current context, including that of other
  /// streams.
  llvm::Error synchronize() const;

  /// Checks whether kernels in the context, which must be current, may use the
  /// memory at `address`. Memory of the host or of another device is not
  /// usable, unless the driver made it accessible.
  bool canReach(CUdeviceptr address) const;

  const Driver &getDriver() const { return *driver; }
  CUcontext getContext() const { return context; }
  llvm::StringRef getName() const { return name; }
  /// Returns the major version times ten plus the minor version: 90.
  int getComputeCapability() const { return computeCapability; }
  int getNumMultiprocessors() const { return numMultiprocessors; }
  /// Returns the largest shared memory of a block, in bytes.
  int getMaxSharedMemory() const { return maxSharedMemory; }

private:
  explicit Device(std::shared_ptr<const Driver> driver)
      : driver(std::move(driver)) {}
  llvm::Error initialize(int ordinal);

  std::shared_ptr<const Driver> driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string name;
  int computeCapability = 0;
  int numMultiprocessors = 0;
  int maxSharedMemory = 0;
};

using DeviceRef = std::shared_ptr<const Device>;

/// Restores, on destruction, the context that was current in this thread. For
/// calls from programs with contexts of their own.
class ContextGuard {
public:
  explicit ContextGuard(const Driver &driver);
  ~ContextGuard();
  ContextGuard(const ContextGuard &) = delete;
  ContextGuard &operator=(const ContextGuard &) = delete;

  /// Makes the context of `device` current.
  llvm::Error enter(const Device &device);

private:
  const Driver &driver;
  /// Whether the context of the device was already current.
  bool isUnchanged = false;
  /// The context before; unset if the driver does not return one.
  std::optional<CUcontext> previous;
};

/// A handle that the function `Release` of the driver releases.
template <typename Handle, auto Release>
class Owned {
public:
  Owned() = default;
  Owned(DeviceRef device, Handle handle)
      : device(std::move(device)), handle(handle) {}
  Owned(Owned &&other)
      : device(std::move(other.device)),
        handle(std::exchange(other.handle, {})) {}
  Owned &operator=(Owned &&other) {
    std::swap(device, other.device);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() {
    if (handle)
      (void)(device->getDriver().*Release)(handle);
  }

  Handle get() const { return handle; }
  const Device &getDevice() const { return *device; }
  const DeviceRef &getDeviceRef() const { return device; }
  const Driver &getDriver() const { return device->getDriver(); }

private:
  DeviceRef device;
  Handle handle = {};
};

/// An ordered queue of work.
class Stream : public Owned<CUstream, &Driver::cuStreamDestroy> {
public:
  static llvm::Expected<Stream> create(DeviceRef device);

  /// Waits for all work, and reports its errors.
  llvm::Error wait() const;

private:
  using Owned::Owned;
};

/// Checks whether launches on the stream become a graph instead of running.
llvm::Expected<bool> isCapturing(const Driver &driver, CUstream stream);

/// A point in a stream, with the time at which the stream reached it.
class Event : public Owned<CUevent, &Driver::cuEventDestroy> {
public:
  static llvm::Expected<Event> create(DeviceRef device);

  llvm::Error record(const Stream &stream) const;
  llvm::Error wait() const;
  /// Returns the milliseconds from `start` to this event; both must be
  /// complete.
  llvm::Expected<double> getMillisecondsSince(const Event &start) const;

private:
  using Owned::Owned;
};

/// Memory on the device. Copies are ordered by the stream. Host memory must
/// stay valid until the stream has executed them.
class DeviceBuffer : public Owned<CUdeviceptr, &Driver::cuMemFree> {
public:
  DeviceBuffer() = default;
  /// Allocates memory. If `bytes` is 0, there is no memory and the address is
  /// 0.
  static llvm::Expected<DeviceBuffer> allocate(DeviceRef device, size_t bytes);
  /// Allocates memory that is zero when the function returns.
  static llvm::Expected<DeviceBuffer> allocateZeros(DeviceRef device,
                                                    size_t bytes);

  size_t size() const { return bytes; }
  llvm::Error upload(llvm::ArrayRef<uint8_t> from, const Stream &stream) const;
  llvm::Error download(llvm::MutableArrayRef<uint8_t> to,
                       const Stream &stream) const;
  llvm::Error fill(uint8_t value, const Stream &stream) const;

private:
  DeviceBuffer(DeviceRef device, CUdeviceptr address, size_t bytes)
      : Owned(std::move(device), address), bytes(bytes) {}

  size_t bytes = 0;
};

/// Machine code on the device.
class Module : public Owned<CUmodule, &Driver::cuModuleUnload> {
public:
  /// Loads a cubin, or PTX text, which the driver compiles.
  static llvm::Expected<Module> load(DeviceRef device, llvm::StringRef image);

  /// Returns the kernel of that name. It is valid while the module lives.
  llvm::Expected<CUfunction> getFunction(llvm::StringRef name) const;

private:
  using Owned::Owned;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_DEVICE_H
