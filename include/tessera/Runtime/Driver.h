//===- Driver.h - The CUDA driver library -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1, opened at run time, so that neither building nor linking needs
// CUDA. The types repeat the binary interface of the driver's C header: handles
// are pointers, and results are integers with 0 for success.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_DRIVER_H
#define TESSERA_RUNTIME_DRIVER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::rt {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = void *;
using CUmodule = void *;
using CUfunction = void *;
using CUstream = void *;
using CUevent = void *;

/// An attribute of a launch: its number, and a value in 64 bytes.
struct CUlaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    unsigned cluster[3];
    int enabled;
  } value;
};

struct CUlaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};

/// An error that the driver returned for a call.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(llvm::StringRef call, CUresult code, llvm::StringRef name,
              llvm::StringRef text)
      : call(call), code(code), name(name), text(text) {}

  /// Writes "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  CUresult getCode() const { return code; }
  llvm::StringRef getName() const { return name; }

private:
  std::string call;
  CUresult code;
  std::string name, text;
};

/// The library with its functions. It stays open while objects from it live.
class Driver {
public:
  /// Opens the library `path`; empty for that of the system. Fails if the
  /// library is absent, lacks a function, or cannot be initialised, for example
  /// on a machine without a GPU.
  static llvm::Expected<std::shared_ptr<const Driver>>
  open(llvm::StringRef path = {});

  /// Adopts a driver within this process. `lookup` returns the address of the
  /// function that a library exports under a name, or null. `name` is for
  /// messages.
  static llvm::Expected<std::shared_ptr<const Driver>>
  adopt(llvm::StringRef name,
        llvm::function_ref<void *(const char *exported)> lookup);

  ~Driver();
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

#define DRIVER_SYMBOL(name, exported, parameters)                              \
  CUresult(*name) parameters = nullptr;
#include "tessera/Runtime/DriverSymbols.def"

  /// Returns the error for `result`, or success. `call` is the function's name.
  llvm::Error check(CUresult result, llvm::StringRef call) const;

private:
  explicit Driver(void *library) : library(library) {}
  llvm::Error initialize(llvm::StringRef name,
                         llvm::function_ref<void *(const char *)> lookup);

  /// Handle of the library; null for an adopted driver.
  void *library;
};

} // namespace tessera::rt

/// Calls a function of the driver. Returns its error from the caller, if any.
#define TESSERA_DRIVER_CALL(driver, function, ...)                             \
  if (llvm::Error driverError =                                                \
          (driver).check((driver).function(__VA_ARGS__), #function))           \
  return driverError

#endif // TESSERA_RUNTIME_DRIVER_H
