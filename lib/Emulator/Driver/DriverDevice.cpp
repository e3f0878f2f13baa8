//===- lib/Emulator/Driver/DriverDevice.cpp - The device and its memory ---===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace tessera::emu;
using namespace tessera::emu::driver;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult driver::cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}

CUresult driver::cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal != 0)
    return fail(kInvalidDevice, "there is one device, number 0");
  *device = 0;
  return kSuccess;
}

CUresult driver::cuDeviceGetName(char *name, int length, CUdevice device) {
  if (device != 0 || length <= 0)
    return fail(kInvalidValue, "there is one device, number 0");
  snprintf(name, length, "PTX emulator");
  return kSuccess;
}

CUresult driver::cuDeviceGetAttribute(int *value, int attribute,
                                      CUdevice device) {
  struct Known {
    int attribute, value;
  };
  static constexpr Known known[] = {
      {1, kMaxThreads},
      {2, kMaxBlockExtent[0]},
      {3, kMaxBlockExtent[1]},
      {4, kMaxBlockExtent[2]},
      {5, kMaxGridExtent[0]},
      {6, kMaxGridExtent[1]},
      {7, kMaxGridExtent[2]},
      {8, kSharedBytes},
      {10, 32},    // lanes of a warp
      {12, 65536}, // registers of a block
      {39, kMaxThreads},
      {41, 1}, // unified addressing
      {75, 9}, // compute capability
      {76, 0},
      {81, kMaxSharedBytes + 1024}, // shared memory of a multiprocessor
      {82, 65536},                  // its registers
      {88, 0},                      // pageable memory access
      {97, kMaxSharedBytes},
      {106, 1}, // blocks of a multiprocessor
      {111, 1024},
      {120, 1}, // launches of clusters
  };
  Call call;
  if (device != 0)
    return fail(kInvalidDevice, "there is one device, number 0");
  if (attribute == 16) {
    *value = call->options.multiprocessors;
    return kSuccess;
  }
  for (const Known &entry : known)
    if (entry.attribute == attribute) {
      *value = entry.value;
      return kSuccess;
    }
  return fail(kInvalidValue, "the emulator does not know attribute " +
                                 Twine(attribute) + " of devices");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CUresult driver::cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  Call call;
  if (CUresult error = call.checkContext())
    return error;
  if (bytes == 0)
    return fail(kInvalidValue, "0 bytes cannot be allocated");
  *address = call->memory.allocate(bytes);
  return *address ? kSuccess
                  : fail(kOutOfMemory, "the host has no " + Twine(bytes) +
                                           " bytes for the emulated device");
}

CUresult driver::cuMemFree_v2(CUdeviceptr address) {
  Call call;
  return address == 0 || call->memory.free(address)
             ? kSuccess
             : fail(kInvalidValue, "nothing was allocated at 0x" +
                                       llvm::utohexstr(address, true));
}

CUresult driver::cuPointerGetAttribute(void *value, int attribute,
                                       CUdeviceptr address) {
  Call call;
  const Allocation *found = call->memory.find(address, 1);
  if (!found)
    return fail(kInvalidValue, "0x" + llvm::utohexstr(address, true) + " is " +
                                   call->memory.describe(address));
  auto give = [&](auto result) {
    memcpy(value, &result, sizeof(result));
    return kSuccess;
  };
  switch (attribute) {
  case 2: // the type of memory: that of a device
    return give(2u);
  case 3: // as the device sees it
    return give(address);
  case 9: // the device
    return give(0);
  case 11:
    return give(found->address);
  case 12:
    return give(uint64_t(found->bytes.size()));
  default:
    return fail(kInvalidValue, "the emulator does not know attribute " +
                                   Twine(attribute) + " of pointers");
  }
}

/// The allocation that a copy is in as a whole; null after an error.
static Allocation *findCopied(Call &call, CUdeviceptr address, size_t bytes) {
  Allocation *found = call->memory.find(address, bytes);
  if (found)
    return found;
  CUdeviceptr begin = address;
  // What is wrong may be the end alone.
  if (call->memory.find(begin, 1))
    fail(kInvalidValue,
         Twine(bytes) + " bytes do not fit " + call->memory.describe(begin));
  else
    fail(kInvalidValue, "0x" + llvm::utohexstr(begin, true) + " is " +
                            call->memory.describe(begin));
  return nullptr;
}

CUresult driver::cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                      size_t bytes, CUstream stream) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  if (bytes == 0)
    return kSuccess;
  Allocation *target = findCopied(call, to, bytes);
  if (!target)
    return kInvalidValue;
  uint64_t offset = to - target->address;
  memcpy(target->bytes.data() + offset, from, bytes);
  std::fill_n(target->isWritten.begin() + offset, bytes, true);
  return kSuccess;
}

CUresult driver::cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                      CUstream stream) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  if (bytes == 0)
    return kSuccess;
  Allocation *source = findCopied(call, from, bytes);
  if (!source)
    return kInvalidValue;
  memcpy(to, source->bytes.data() + (from - source->address), bytes);
  return kSuccess;
}

CUresult driver::cuMemsetD8Async(CUdeviceptr address, unsigned char value,
                                 size_t bytes, CUstream stream) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  if (bytes == 0)
    return kSuccess;
  Allocation *target = findCopied(call, address, bytes);
  if (!target)
    return kInvalidValue;
  uint64_t offset = address - target->address;
  std::fill_n(target->bytes.begin() + offset, bytes, value);
  std::fill_n(target->isWritten.begin() + offset, bytes, true);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory, for who knows that the device is emulated
//===----------------------------------------------------------------------===//

void tessera::emu::nameMemory(uint64_t address, StringRef name) {
  Call call;
  if (Allocation *found = call->memory.findStart(address))
    found->name = name.str();
}

void tessera::emu::forgetWrites(uint64_t address) {
  Call call;
  if (Allocation *found = call->memory.findStart(address))
    found->isWritten.assign(found->bytes.size(), false);
}

UnwrittenElements tessera::emu::findUnwritten(uint64_t address, uint64_t count,
                                              uint64_t elementBytes) {
  Call call;
  UnwrittenElements unwritten;
  const Allocation *found = call->memory.find(address, count * elementBytes);
  if (!found)
    return unwritten;
  auto begin = found->isWritten.begin() + (address - found->address);
  for (uint64_t i = 0; i < count; ++i, begin += elementBytes) {
    if (std::find(begin, begin + elementBytes, false) == begin + elementBytes)
      continue;
    if (unwritten.count++ == 0)
      unwritten.first = i;
  }
  return unwritten;
}
