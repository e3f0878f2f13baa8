//===- ProgramCounters.h - Counters of programs -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters in device memory for launches of kernels whose blocks fetch their
// programs dynamically, or meet at barriers of the grid. The last fetch of a
// launch sets its counter back to 0, and a barrier leaves its counter ready for
// the next one. Only launches that may run at the same time therefore need
// counters of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_PROGRAMCOUNTERS_H
#define TESSERA_RUNTIME_PROGRAMCOUNTERS_H

#include "tessera/Runtime/Device.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <vector>

namespace tessera::rt {

class ProgramCounters {
public:
  explicit ProgramCounters(DeviceRef device) : device(std::move(device)) {}

  /// Allocates the first counters, so that a captured launch finds some: memory
  /// cannot be allocated during a capture.
  llvm::Error reserve();

  /// Returns the counters for a launch on `stream`. Launches of a stream run
  /// one after the other and share counters. A launch that is captured for a
  /// graph has counters of its own, which are never used again: the graph may
  /// run concurrently with its stream.
  llvm::Expected<CUdeviceptr> get(CUstream stream);

private:
  llvm::Error allocate();

  DeviceRef device;
  std::mutex mutex;
  std::vector<DeviceBuffer> buffers;
  /// Number of used counters of the last buffer.
  unsigned taken = 0;
  /// By the number of the stream, which is unique for all time.
  llvm::DenseMap<uint64_t, CUdeviceptr> byStream;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_PROGRAMCOUNTERS_H
