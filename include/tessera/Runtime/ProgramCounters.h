//===- ProgramCounters.h - What blocks draw programs from -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters in device memory for launches of kernels whose blocks draw their
// programs. The last draw of a launch sets its counter back to 0, so that only
// launches that may run at the same time need counters of their own.
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

  /// Makes the first counters, so that a launch which is captured finds some:
  /// memory cannot be allocated meanwhile.
  llvm::Error reserve();

  /// The counter for a launch on `stream`. Launches of a stream run one after
  /// the other and share one. A launch that is captured for a graph has one of
  /// its own, which is never used again: the graph may run beside its stream.
  llvm::Expected<CUdeviceptr> get(CUstream stream);

private:
  llvm::Error allocate();

  DeviceRef device;
  std::mutex mutex;
  std::vector<DeviceBuffer> buffers;
  /// Counters of the last buffer that are taken.
  unsigned taken = 0;
  /// By the number of the stream, which no other one ever has.
  llvm::DenseMap<uint64_t, CUdeviceptr> byStream;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_PROGRAMCOUNTERS_H
