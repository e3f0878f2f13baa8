//===- lib/Emulator/Driver/EmulatedDriver.cpp - The driver as a whole -----===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/EmulatedDriver.h"

#include "DriverState.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace rt = tessera::rt;

static void *findFunction(const char *name) {
  llvm::StringSwitch<void *> found(name);
#define DRIVER_SYMBOL(name, exported, parameters)                              \
  found.Case(#exported, reinterpret_cast<void *>(driver::exported));
#include "tessera/Runtime/DriverSymbols.def"
  return found.Default(nullptr);
}

llvm::Expected<std::shared_ptr<const rt::Driver>> emu::openEmulatedDriver() {
  return rt::Driver::adopt("the emulator", findFunction);
}

void emu::setDeviceOptions(const DeviceOptions &options) {
  driver::Call call;
  call->options = options;
}

void emu::setLaunchHandler(LaunchHandler handler) {
  driver::Call call;
  call->handler = std::move(handler);
}

StringRef emu::getSourceFile(const Location &where, const Module &module) {
  // Line 0 marks code that belongs to no line.
  return where.file != 0 && where.file < module.files.size() &&
                 where.sourceLine != 0
             ? StringRef(module.files[where.file])
             : StringRef();
}

std::string emu::toString(const Location &where, const Module &module,
                          StringRef name) {
  StringRef source = getSourceFile(where, module);
  if (source.empty())
    return llvm::formatv("{0}:{1}:{2}", name, where.line, where.column).str();
  return llvm::formatv("{0}:{1}:{2}", source, where.sourceLine,
                       std::max(where.sourceColumn, 1u))
      .str();
}
