//===- Device.h - Devices and what lives on them ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device and the resources on it. Each owns its handle and keeps its device
// alive; each can be moved, not copied. Every call that the driver may refuse
// returns an error with the driver's name for it. Destructors cannot, so they
// ignore what the driver says: an error of earlier work is reported by `wait`.
//
// Threads: a Device may be shared, but its context is current in the thread
// that opened it; others call `makeCurrent` first.
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

  /// Waits for all work in the current context, of other streams too.
  llvm::Error synchronize() const;

  /// Whether kernels in the context, which must be current, may use the memory
  /// at `address`: not that of the host or of another device, unless the driver
  /// has made it accessible.
  bool canReach(CUdeviceptr address) const;

  const Driver &getDriver() const { return *driver; }
  CUcontext getContext() const { return context; }
  llvm::StringRef getName() const { return name; }
  /// Major times ten plus minor: 90.
  int getComputeCapability() const { return computeCapability; }
  int getNumMultiprocessors() const { return numMultiprocessors; }
  /// Shared memory that a block can ask for, in bytes.
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

/// Puts back, when it goes, the context that was current in this thread: for
/// calls from programs that have contexts of their own.
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
  /// Nobody has changed what was current before.
  bool isUnchanged = false;
  /// Nothing before the driver knows one.
  std::optional<CUcontext> previous;
};

/// A handle that is given back to the driver by its function `Release`.
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

  /// Waits for all work, and reports what went wrong in it.
  llvm::Error wait() const;

private:
  using Owned::Owned;
};

/// A point in a stream, with the time at which it was passed.
class Event : public Owned<CUevent, &Driver::cuEventDestroy> {
public:
  static llvm::Expected<Event> create(DeviceRef device);

  llvm::Error record(const Stream &stream) const;
  llvm::Error wait() const;
  /// Milliseconds from `start` to this event; both must have been passed.
  llvm::Expected<double> getMillisecondsSince(const Event &start) const;

private:
  using Owned::Owned;
};

/// Memory on the device. Copies are ordered by the stream; host memory must
/// stay valid until the stream has passed them.
class DeviceBuffer : public Owned<CUdeviceptr, &Driver::cuMemFree> {
public:
  DeviceBuffer() = default;
  /// `bytes` may be 0: then there is no memory and the address is 0.
  static llvm::Expected<DeviceBuffer> allocate(DeviceRef device, size_t bytes);
  /// The same, and all bytes are 0 when it returns.
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

  /// The kernel of that name. Valid while the module lives.
  llvm::Expected<CUfunction> getFunction(llvm::StringRef name) const;

private:
  using Owned::Owned;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_DEVICE_H
