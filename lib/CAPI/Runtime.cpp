//===- Runtime.cpp - The runtime for callers in C ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface over the C++ runtime. Invariant: no exception leaves a
// function. Each function checks its pointers, runs its body in `contain`, and
// converts errors to a status and a text.
//
//===----------------------------------------------------------------------===//

#include "tessera-c/Runtime.h"

#include "CallArguments.h"
#include "LastError.h"

#include "tessera/Runtime/Launcher.h"
#include "tessera/Runtime/ReportBuffer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tessera;
using namespace tessera::capi;
using namespace tessera::rt;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

// The objects of handles. They are shared, so that handles can be freed in any
// order.
struct tessera_device {
  DeviceRef device;
};
struct tessera_package {
  KernelPackage package;
  std::string metadata;
};
struct tessera_kernel {
  std::shared_ptr<const Launcher> launcher;
};
struct tessera_prepared {
  std::shared_ptr<const Launcher> launcher;
  Launcher::Prepared prepared;
};

/// Stores the error. The status of the driver, and that of a failed check, take
/// precedence over `status`.
static tessera_status fail(tessera_status status, Error error) {
  int32_t code = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const DriverError &driver) {
        status = fail(TESSERA_ERROR_DRIVER, driver.message());
        code = driver.getCode();
      },
      [&](const CheckError &check) {
        status = fail(TESSERA_ERROR_CHECK, check.message());
      },
      [&](const llvm::ErrorInfoBase &other) { fail(status, other.message()); });
  lastError().driverCode = code;
  return status;
}

int32_t tessera_runtime_abi(void) { return TESSERA_RUNTIME_ABI; }

const char *tessera_last_error(void) { return lastError().pointer; }

int32_t tessera_last_driver_code(void) { return lastError().driverCode; }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

tessera_status tessera_device_open(const char *driver, int32_t ordinal,
                                   tessera_device **device) {
  return contain([&] {
    if (!device)
      return refuseNull("device");
    *device = nullptr;
    auto library = Driver::open(driver ? driver : "");
    if (!library)
      return fail(TESSERA_ERROR_DEVICE, library.takeError());
    ContextGuard guard(**library);
    Expected<DeviceRef> opened = Device::open(*library, ordinal);
    if (!opened)
      return fail(TESSERA_ERROR_DEVICE, opened.takeError());
    *device = new tessera_device{std::move(*opened)};
    return TESSERA_SUCCESS;
  });
}

void tessera_device_free(tessera_device *device) { delete device; }

const char *tessera_device_name(const tessera_device *device) {
  return device ? device->device->getName().data() : "";
}

static CUstream toStream(uint64_t stream) {
  return reinterpret_cast<CUstream>(static_cast<uintptr_t>(stream));
}

/// Runs `act` with the context of `device` current.
static tessera_status
runOn(const tessera_device *device,
      llvm::function_ref<Error(const Driver &driver)> act) {
  return contain([&] {
    if (!device)
      return refuseNull("device");
    const Driver &driver = device->device->getDriver();
    ContextGuard guard(driver);
    if (Error error = guard.enter(*device->device))
      return fail(TESSERA_ERROR_DEVICE, std::move(error));
    if (Error error = act(driver))
      return fail(TESSERA_ERROR_DRIVER, std::move(error));
    return TESSERA_SUCCESS;
  });
}

tessera_status tessera_stream_wait(const tessera_device *device,
                                   uint64_t stream) {
  return runOn(device, [&](const Driver &driver) {
    return driver.check(driver.cuStreamSynchronize(toStream(stream)),
                        "cuStreamSynchronize");
  });
}

/// Records an event on `other` that `stream` waits for.
static Error follow(const Driver &driver, CUstream stream, CUstream other) {
  // CU_EVENT_DISABLE_TIMING
  constexpr unsigned kWithoutTiming = 2;
  CUevent event = nullptr;
  if (Error error = driver.check(driver.cuEventCreate(&event, kWithoutTiming),
                                 "cuEventCreate"))
    return error;
  Error error =
      driver.check(driver.cuEventRecord(event, other), "cuEventRecord");
  if (!error)
    error = driver.check(driver.cuStreamWaitEvent(stream, event, 0),
                         "cuStreamWaitEvent");
  // The driver keeps the event until the streams have reached it.
  return llvm::joinErrors(
      std::move(error),
      driver.check(driver.cuEventDestroy(event), "cuEventDestroy"));
}

tessera_status tessera_stream_follow(const tessera_device *device,
                                     uint64_t stream, uint64_t other) {
  return runOn(device, [&](const Driver &driver) {
    return follow(driver, toStream(stream), toStream(other));
  });
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

tessera_status tessera_package_open(const char *path,
                                    tessera_package **package) {
  return contain([&] {
    if (!package)
      return refuseNull("package");
    *package = nullptr;
    if (!path)
      return refuseNull("path");
    Expected<KernelPackage> read = KernelPackage::readFile(path);
    if (!read)
      return fail(TESSERA_ERROR_PACKAGE, read.takeError());
    std::string metadata = read->writeMetadata();
    *package = new tessera_package{std::move(*read), std::move(metadata)};
    return TESSERA_SUCCESS;
  });
}

void tessera_package_free(tessera_package *package) { delete package; }

const char *tessera_package_metadata(const tessera_package *package) {
  return package ? package->metadata.c_str() : "";
}

size_t tessera_package_num_kernels(const tessera_package *package) {
  return package ? package->package.getFirstVariants().size() : 0;
}

const char *tessera_package_kernel_name(const tessera_package *package,
                                        size_t index) {
  if (index >= tessera_package_num_kernels(package))
    return nullptr;
  return package->package.getFirstVariants()[index]->name.c_str();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

tessera_status tessera_kernel_load(const tessera_device *device,
                                   const tessera_package *package,
                                   const char *name, tessera_kernel **kernel) {
  return contain([&] {
    if (!kernel)
      return refuseNull("kernel");
    *kernel = nullptr;
    if (!device)
      return refuseNull("device");
    if (!package)
      return refuseNull("package");
    const DeviceRef &ref = device->device;
    StringRef wanted = name ? name : "";
    if (auto found = package->package.find(wanted); !found)
      return fail(TESSERA_ERROR_PACKAGE, found.takeError());
    ContextGuard guard(ref->getDriver());
    if (Error error = guard.enter(*ref))
      return fail(TESSERA_ERROR_DEVICE, std::move(error));
    Expected<Launcher> loaded = Launcher::load(ref, package->package, wanted);
    if (!loaded)
      return fail(TESSERA_ERROR_DEVICE, loaded.takeError());
    *kernel = new tessera_kernel{
        std::make_shared<const Launcher>(std::move(*loaded))};
    return TESSERA_SUCCESS;
  });
}

/// Releases a launcher while its context is current. The device outlives the
/// guard, which calls its driver. The context is synchronised first: queued
/// work still runs the code that the last launcher unloads, and callers do not
/// wait for it.
static void release(std::shared_ptr<const Launcher> launcher) {
  DeviceRef device = launcher->getDevice();
  ContextGuard guard(device->getDriver());
  llvm::consumeError(guard.enter(*device));
  if (launcher.use_count() == 1)
    llvm::consumeError(device->synchronize());
  launcher.reset();
}

void tessera_kernel_free(tessera_kernel *kernel) {
  if (!kernel)
    return;
  release(std::move(kernel->launcher));
  delete kernel;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Calls `body` with the context of `launcher` current.
template <typename Body>
static tessera_status withContext(const Launcher &launcher, Body body) {
  const Device &device = *launcher.getDevice();
  ContextGuard guard(device.getDriver());
  if (Error error = guard.enter(device))
    return fail(TESSERA_ERROR_DEVICE, std::move(error));
  return body();
}

tessera_status tessera_kernel_launch(const tessera_kernel *kernel,
                                     const tessera_argument *arguments,
                                     size_t num_arguments,
                                     const tessera_size *sizes,
                                     size_t num_sizes, uint64_t stream) {
  tessera_prepared *prepared = nullptr;
  tessera_status status = tessera_kernel_prepare(
      kernel, arguments, num_arguments, sizes, num_sizes, &prepared);
  if (status == TESSERA_SUCCESS)
    status = tessera_prepared_launch(prepared, stream);
  tessera_prepared_free(prepared);
  return status;
}

tessera_status tessera_kernel_prepare(const tessera_kernel *kernel,
                                      const tessera_argument *arguments,
                                      size_t num_arguments,
                                      const tessera_size *sizes,
                                      size_t num_sizes,
                                      tessera_prepared **prepared) {
  return contain([&] {
    if (!prepared)
      return refuseNull("prepared");
    *prepared = nullptr;
    if (!kernel)
      return refuseNull("kernel");
    const Launcher &launcher = *kernel->launcher;
    if (Error error =
            checkLengths(launcher.getMetadata(), num_arguments, num_sizes))
      return fail(TESSERA_ERROR_ARGUMENTS, std::move(error));
    Expected<CallArguments> call =
        readArguments(arguments, num_arguments, sizes, num_sizes);
    if (!call)
      return fail(TESSERA_ERROR_USAGE, call.takeError());
    return withContext(launcher, [&] {
      Expected<Launcher::Prepared> made =
          launcher.prepare(call->arguments, call->sizes);
      if (!made)
        return fail(TESSERA_ERROR_ARGUMENTS, made.takeError());
      *prepared = new tessera_prepared{kernel->launcher, std::move(*made)};
      return TESSERA_SUCCESS;
    });
  });
}

tessera_status tessera_prepared_launch(const tessera_prepared *prepared,
                                       uint64_t stream) {
  return contain([&] {
    if (!prepared)
      return refuseNull("prepared");
    return withContext(*prepared->launcher, [&] {
      if (Error error = prepared->prepared.launch(toStream(stream)))
        return fail(TESSERA_ERROR_DRIVER, std::move(error));
      return TESSERA_SUCCESS;
    });
  });
}

tessera_status tessera_prepared_launch_at(const tessera_prepared *prepared,
                                          const uint64_t *addresses,
                                          size_t num_addresses,
                                          uint64_t stream) {
  return contain([&] {
    if (!prepared)
      return refuseNull("prepared");
    if (num_addresses > 0 && !addresses)
      return refuseNull("addresses");
    return withContext(*prepared->launcher, [&] {
      if (Error error = prepared->prepared.launchAt({addresses, num_addresses},
                                                    toStream(stream)))
        return fail(TESSERA_ERROR_ARGUMENTS, std::move(error));
      return TESSERA_SUCCESS;
    });
  });
}

void tessera_prepared_free(tessera_prepared *prepared) {
  if (!prepared)
    return;
  release(std::move(prepared->launcher));
  delete prepared;
}
