//===- Driver.cpp - The CUDA driver library ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the functions in the table of DriverSymbols.def by dlopen and dlsym.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Driver.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace tessera::rt;
using llvm::createStringError;
using llvm::StringRef;
using llvm::Twine;

char DriverError::ID;

void DriverError::log(llvm::raw_ostream &os) const {
  os << call << ": " << name;
  if (!text.empty())
    os << " (" << text << ")";
}

std::error_code DriverError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error Driver::check(CUresult result, StringRef call) const {
  if (result == 0)
    return llvm::Error::success();
  const char *name = nullptr;
  const char *text = nullptr;
  if (cuGetErrorName(result, &name) != 0 || !name)
    name = "an error that the driver has no name for";
  if (cuGetErrorString(result, &text) != 0 || !text)
    text = "";
  return llvm::make_error<DriverError>(call, result, name, text);
}

Driver::~Driver() {
  if (library)
    dlclose(library);
}

llvm::Error
Driver::initialize(StringRef file,
                   llvm::function_ref<void *(const char *)> lookup) {
#define DRIVER_SYMBOL(name, exported, parameters)                              \
  name = reinterpret_cast<CUresult(*) parameters>(lookup(#exported));          \
  if (!name)                                                                   \
    return createStringError("the CUDA driver '" + Twine(file) +               \
                             "' lacks the function " #exported                 \
                             "; it is older than CUDA 12");
#include "tessera/Runtime/DriverSymbols.def"
  return check(cuInit(0), "cuInit");
}

llvm::Expected<std::shared_ptr<const Driver>> Driver::open(StringRef path) {
  std::string file = path.empty() ? "libcuda.so.1" : path.str();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return createStringError("cannot open the CUDA driver: " +
                             Twine(dlerror()));
  std::shared_ptr<Driver> driver(new Driver(library));
  auto lookup = [&](const char *name) { return dlsym(library, name); };
  if (llvm::Error error = driver->initialize(file, lookup))
    return error;
  return driver;
}

llvm::Expected<std::shared_ptr<const Driver>>
Driver::adopt(StringRef name, llvm::function_ref<void *(const char *)> lookup) {
  std::shared_ptr<Driver> driver(new Driver(/*library=*/nullptr));
  if (llvm::Error error = driver->initialize(name, lookup))
    return error;
  return driver;
}
