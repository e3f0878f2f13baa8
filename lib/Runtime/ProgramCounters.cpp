//===- ProgramCounters.cpp - Counters of programs ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An arena allocator of counters: buffers of device memory are split into
// the counters of a launch, which are never freed. Invariant: launches that may
// run concurrently never share counters.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/ProgramCounters.h"
#include "tessera/Runtime/KernelMetadata.h"

using namespace tessera::rt;
using llvm::Error;
using llvm::Expected;

static constexpr unsigned kCountersOfBuffer = 1024;
static constexpr unsigned kCounterBytes = ArgumentInfo::kCounterBytes;

Error ProgramCounters::allocate() {
  auto buffer =
      DeviceBuffer::allocateZeros(device, kCountersOfBuffer * kCounterBytes);
  if (!buffer)
    return buffer.takeError();
  buffers.push_back(std::move(*buffer));
  taken = 0;
  return Error::success();
}

Error ProgramCounters::reserve() {
  std::lock_guard<std::mutex> lock(mutex);
  return buffers.empty() ? allocate() : Error::success();
}

Expected<CUdeviceptr> ProgramCounters::get(CUstream stream) {
  const Driver &driver = device->getDriver();
  Expected<bool> captures = isCapturing(driver, stream);
  if (!captures)
    return captures.takeError();
  bool isCaptured = *captures;
  unsigned long long id = 0;
  if (!isCaptured)
    TESSERA_DRIVER_CALL(driver, cuStreamGetId, stream, &id);
  std::lock_guard<std::mutex> lock(mutex);
  if (!isCaptured)
    if (auto known = byStream.find(id); known != byStream.end())
      return known->second;
  // Half of a buffer is reserved for launches that are captured.
  unsigned most = isCaptured ? kCountersOfBuffer : kCountersOfBuffer / 2;
  if (buffers.empty() || taken >= most)
    if (Error error = allocate())
      return error;
  CUdeviceptr counter = buffers.back().get() + kCounterBytes * taken++;
  if (!isCaptured)
    byStream[id] = counter;
  return counter;
}
