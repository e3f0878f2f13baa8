//===- Device.cpp - Devices and their resources -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wrappers of driver calls. Numbers of attributes are those of the driver's
// binary interface.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Device.h"

#include "llvm/ADT/Twine.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

// CUdevice_attribute
static constexpr int kMultiprocessorCount = 16;
static constexpr int kComputeCapabilityMajor = 75;
static constexpr int kComputeCapabilityMinor = 76;
static constexpr int kPageableMemoryAccess = 88;
static constexpr int kMaxSharedMemoryOptin = 97;
// CUpointer_attribute
static constexpr int kPointerMemoryType = 2;
static constexpr int kPointerOfDevice = 3;
// CUresult
static constexpr int kInvalidValue = 1;
// CUstream_flags
static constexpr unsigned kStreamNonBlocking = 1;

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Error Device::initialize(int ordinal) {
  int count = 0;
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetCount, &count);
  if (ordinal < 0 || ordinal >= count)
    return createStringError("there is no device " + Twine(ordinal) +
                             "; the driver has " + Twine(count));
  CUdevice number = 0;
  TESSERA_DRIVER_CALL(*driver, cuDeviceGet, &number, ordinal);
  char text[256] = {};
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetName, text, sizeof(text) - 1, number);
  name = text;
  int major = 0, minor = 0;
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetAttribute, &major,
                      kComputeCapabilityMajor, number);
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetAttribute, &minor,
                      kComputeCapabilityMinor, number);
  computeCapability = 10 * major + minor;
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetAttribute, &numMultiprocessors,
                      kMultiprocessorCount, number);
  TESSERA_DRIVER_CALL(*driver, cuDeviceGetAttribute, &maxSharedMemory,
                      kMaxSharedMemoryOptin, number);
  CUcontext retained = nullptr;
  TESSERA_DRIVER_CALL(*driver, cuDevicePrimaryCtxRetain, &retained, number);
  device = number;
  context = retained;
  return makeCurrent();
}

Expected<DeviceRef> Device::open(std::shared_ptr<const Driver> driver,
                                 int ordinal) {
  std::shared_ptr<Device> device(new Device(std::move(driver)));
  if (Error error = device->initialize(ordinal))
    return error;
  return device;
}

Device::~Device() {
  if (context)
    (void)driver->cuDevicePrimaryCtxRelease(device);
}

Error Device::makeCurrent() const {
  // Callers that use the CUDA runtime have the context current already, and
  // setting it again takes time.
  CUcontext current = nullptr;
  if (driver->cuCtxGetCurrent(&current) == 0 && current == context)
    return Error::success();
  return driver->check(driver->cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

Error Device::synchronize() const {
  return driver->check(driver->cuCtxSynchronize(), "cuCtxSynchronize");
}

bool Device::canReach(CUdeviceptr address) const {
  CUdeviceptr mapped = 0;
  CUresult result =
      driver->cuPointerGetAttribute(&mapped, kPointerOfDevice, address);
  if (result == 0)
    return mapped == address;
  // Other errors are not about the address, and the launch reports them.
  if (result != kInvalidValue)
    return true;
  // Memory that the driver does not know may be accessible page by page.
  unsigned type = 0;
  int isPageable = 0;
  return driver->cuPointerGetAttribute(&type, kPointerMemoryType, address) &&
         driver->cuDeviceGetAttribute(&isPageable, kPageableMemoryAccess,
                                      device) == 0 &&
         isPageable;
}

ContextGuard::ContextGuard(const Driver &driver) : driver(driver) {
  CUcontext current = nullptr;
  if (driver.cuCtxGetCurrent(&current) == 0)
    previous = current;
}

Error ContextGuard::enter(const Device &device) {
  // Most callers use the CUDA runtime, which made the context current.
  isUnchanged = previous && *previous == device.getContext();
  return isUnchanged ? Error::success() : device.makeCurrent();
}

ContextGuard::~ContextGuard() {
  CUcontext current = nullptr;
  if (previous && !isUnchanged && driver.cuCtxGetCurrent(&current) == 0 &&
      current != *previous)
    (void)driver.cuCtxSetCurrent(*previous);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Expected<Stream> Stream::create(DeviceRef device) {
  CUstream handle = nullptr;
  TESSERA_DRIVER_CALL(device->getDriver(), cuStreamCreate, &handle,
                      kStreamNonBlocking);
  return Stream(std::move(device), handle);
}

Error Stream::wait() const {
  return getDriver().check(getDriver().cuStreamSynchronize(get()),
                           "cuStreamSynchronize");
}

Expected<bool> tessera::rt::isCapturing(const Driver &driver, CUstream stream) {
  // CUstreamCaptureStatus
  constexpr int kNotCapturing = 0;
  int status = kNotCapturing;
  TESSERA_DRIVER_CALL(driver, cuStreamIsCapturing, stream, &status);
  return status != kNotCapturing;
}

Expected<Event> Event::create(DeviceRef device) {
  CUevent handle = nullptr;
  TESSERA_DRIVER_CALL(device->getDriver(), cuEventCreate, &handle, 0);
  return Event(std::move(device), handle);
}

Error Event::record(const Stream &stream) const {
  return getDriver().check(getDriver().cuEventRecord(get(), stream.get()),
                           "cuEventRecord");
}

Error Event::wait() const {
  return getDriver().check(getDriver().cuEventSynchronize(get()),
                           "cuEventSynchronize");
}

Expected<double> Event::getMillisecondsSince(const Event &start) const {
  float milliseconds = 0;
  TESSERA_DRIVER_CALL(getDriver(), cuEventElapsedTime, &milliseconds,
                      start.get(), get());
  return milliseconds;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<DeviceBuffer> DeviceBuffer::allocate(DeviceRef device, size_t bytes) {
  CUdeviceptr address = 0;
  if (bytes != 0)
    TESSERA_DRIVER_CALL(device->getDriver(), cuMemAlloc, &address, bytes);
  return DeviceBuffer(std::move(device), address, bytes);
}

Expected<DeviceBuffer> DeviceBuffer::allocateZeros(DeviceRef device,
                                                   size_t bytes) {
  Expected<DeviceBuffer> buffer = allocate(device, bytes);
  if (!buffer)
    return buffer.takeError();
  Expected<Stream> stream = Stream::create(std::move(device));
  if (!stream)
    return stream.takeError();
  if (Error error = buffer->fill(0, *stream))
    return error;
  if (Error error = stream->wait())
    return error;
  return buffer;
}

static Error checkSize(const DeviceBuffer &buffer, size_t bytes) {
  if (buffer.size() == bytes)
    return Error::success();
  return createStringError("the buffer on the device has " +
                           Twine(buffer.size()) +
                           " bytes, but the one on the host " + Twine(bytes));
}

Error DeviceBuffer::upload(llvm::ArrayRef<uint8_t> from,
                           const Stream &stream) const {
  if (Error error = checkSize(*this, from.size()))
    return error;
  if (bytes != 0)
    TESSERA_DRIVER_CALL(getDriver(), cuMemcpyHtoDAsync, get(), from.data(),
                        bytes, stream.get());
  return Error::success();
}

Error DeviceBuffer::download(llvm::MutableArrayRef<uint8_t> to,
                             const Stream &stream) const {
  if (Error error = checkSize(*this, to.size()))
    return error;
  if (bytes != 0)
    TESSERA_DRIVER_CALL(getDriver(), cuMemcpyDtoHAsync, to.data(), get(), bytes,
                        stream.get());
  return Error::success();
}

Error DeviceBuffer::fill(uint8_t value, const Stream &stream) const {
  if (bytes != 0)
    TESSERA_DRIVER_CALL(getDriver(), cuMemsetD8Async, get(), value, bytes,
                        stream.get());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Expected<Module> Module::load(DeviceRef device, StringRef image) {
  // The driver reads PTX text up to a zero; a cubin contains its size.
  std::string terminated = image.str();
  CUmodule handle = nullptr;
  TESSERA_DRIVER_CALL(device->getDriver(), cuModuleLoadData, &handle,
                      terminated.c_str());
  return Module(std::move(device), handle);
}

Expected<CUfunction> Module::getFunction(StringRef name) const {
  CUfunction function = nullptr;
  TESSERA_DRIVER_CALL(getDriver(), cuModuleGetFunction, &function, get(),
                      name.str().c_str());
  return function;
}
