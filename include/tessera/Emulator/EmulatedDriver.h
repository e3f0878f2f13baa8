//===- EmulatedDriver.h - A CUDA driver whose device is emulated ----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of DriverSymbols.def over the emulator. The runtime uses it
// like a GPU, with the same launch plan, arguments and tensor maps. A process
// has one driver, like that of the machine. It accepts PTX, not machine code. A
// launch is complete when the call returns, and fails with
// CUDA_ERROR_LAUNCH_FAILED if the kernel has a defect; the text of the error
// describes the defect. Errors are not sticky: the next call works.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_EMULATEDDRIVER_H
#define TESSERA_EMULATOR_EMULATEDDRIVER_H

#include "tessera/Emulator/Emulator.h"
#include "tessera/Runtime/Driver.h"

#include <functional>

namespace tessera::emu {

/// The properties of the device, and the options of launches.
struct DeviceOptions {
  Options run;
  /// Number of multiprocessors. Each runs one block at a time, which determines
  /// the grid of a persistent kernel.
  unsigned multiprocessors = 2;
};

/// A completed launch, with its findings.
struct LaunchReport {
  const Module &module;
  /// The PTX, and its name in locations: "matmul.ptx".
  StringRef text, name;
  const Kernel &kernel;
  ArrayRef<Finding> findings;
  const Statistics &statistics;
};
using LaunchHandler = std::function<void(const LaunchReport &)>;

/// Returns the initialised driver.
llvm::Expected<std::shared_ptr<const rt::Driver>> openEmulatedDriver();

/// Sets the options of later launches and of queries about the device.
void setDeviceOptions(const DeviceOptions &options);
/// Sets a function that is called after each launch; may be null.
void setLaunchHandler(LaunchHandler handler);

/// Names the memory that begins at `address`, for findings: "parameter 'a'".
/// Does nothing if no memory begins there.
void nameMemory(uint64_t address, StringRef name);
/// Names the element of each byte of this memory for findings: "'a[1]'".
void nameElements(uint64_t address, std::function<std::string(uint64_t)> name);
/// Marks all bytes of the memory at `address` as unwritten.
void forgetWrites(uint64_t address);
/// The elements, of `count` from `address` on, that were not completely written
/// since they were allocated or forgotten.
struct UnwrittenElements {
  uint64_t count = 0, first = 0;
};
UnwrittenElements findUnwritten(uint64_t address, uint64_t count,
                                uint64_t elementBytes);

/// Returns the file that a line table names for `where`; empty if none does.
StringRef getSourceFile(const Location &where, const Module &module);

/// Returns "kernel.tile:12:7" if a line table names the source, else
/// "matmul.ptx:345:3" with `name`.
std::string toString(const Location &where, const Module &module,
                     StringRef name);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_EMULATEDDRIVER_H
