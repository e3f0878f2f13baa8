//===- EmulatedDriver.h - A CUDA driver whose device is emulated ----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of DriverSymbols.def over the emulator, so that the runtime
// runs on it as it does on a GPU: the same launch plan, the same arguments, the
// same tensor maps. As the machine's driver, there is one in a process. It
// takes PTX, not machine code. A launch is over when the call returns, and
// fails with CUDA_ERROR_LAUNCH_FAILED if something is wrong with the kernel;
// the text of an error says what. Errors do not stick: the next call works.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_EMULATEDDRIVER_H
#define TESSERA_EMULATOR_EMULATEDDRIVER_H

#include "tessera/Emulator/Emulator.h"
#include "tessera/Runtime/Driver.h"

#include <functional>

namespace tessera::emu {

/// What the device is, and how kernels run on it.
struct DeviceOptions {
  Options run;
  /// Each has place for one block at a time, which is what the size of the grid
  /// of a persistent kernel follows from.
  unsigned multiprocessors = 2;
};

/// A launch that was made, and what is wrong with it.
struct LaunchReport {
  const Module &module;
  /// The PTX, and the name that its locations have: "matmul.ptx".
  StringRef text, name;
  const Kernel &kernel;
  ArrayRef<Finding> findings;
  const Statistics &statistics;
};
using LaunchHandler = std::function<void(const LaunchReport &)>;

/// The driver, initialised.
llvm::Expected<std::shared_ptr<const rt::Driver>> openEmulatedDriver();

/// Of launches from now on, and of what is asked about the device.
void setDeviceOptions(const DeviceOptions &options);
/// Is called after each launch; null for nobody.
void setLaunchHandler(LaunchHandler handler);

/// What the memory that begins at `address` holds, for findings: "parameter
/// 'a'". Nothing happens if no memory begins there.
void nameMemory(uint64_t address, StringRef name);
/// Makes all bytes there count as written by nobody, whatever they are.
void forgetWrites(uint64_t address);
/// Of `count` elements from `address` on, those that were not written, as a
/// whole, since they were allocated or forgotten.
struct UnwrittenElements {
  uint64_t count = 0, first = 0;
};
UnwrittenElements findUnwritten(uint64_t address, uint64_t count,
                                uint64_t elementBytes);

/// The file that a line table names for `where`; empty if none does.
StringRef getSourceFile(const Location &where, const Module &module);

/// "kernel.tile:12:7" where a line table names the source, else
/// "matmul.ptx:345:3" with `name`.
std::string toString(const Location &where, const Module &module,
                     StringRef name);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_EMULATEDDRIVER_H
