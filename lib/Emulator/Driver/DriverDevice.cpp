//===- lib/Emulator/Driver/DriverDevice.cpp - The device and its memory ---===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device and its memory. Attributes are those of sm_90 that programs query;
// unknown attributes are errors. Memory calls check that a copy lies within one
// allocation, and mark the bytes that they write.
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

CUresult driver::checkDevice(CUdevice device) {
  return device == 0 ? kSuccess
                     : fail(kInvalidDevice, "there is one device, number 0");
}

CUresult driver::cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}

CUresult driver::cuDeviceGet(CUdevice *device, int ordinal) {
  if (CUresult error = checkDevice(ordinal))
    return error;
  *device = 0;
  return kSuccess;
}

CUresult driver::cuDeviceGetName(char *name, int length, CUdevice device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (length <= 0)
    return fail(kInvalidValue, "there is no room for a name");
  snprintf(name, length, "PTX emulator");
  return kSuccess;
}

CUresult driver::cuDeviceGetAttribute(int *value, int attribute,
                                      CUdevice device) {
  Call call;
  if (CUresult error = checkDevice(device))
    return error;
  auto give = [&](uint64_t result) {
    *value = static_cast<int>(result);
    return kSuccess;
  };
  switch (attribute) {
  case 1:  // threads of a block
  case 39: // and of a multiprocessor
    return give(kMaxThreads);
  case 2:
  case 3:
  case 4:
    return give(kMaxBlockExtent[attribute - 2]);
  case 5:
  case 6:
  case 7:
    return give(kMaxGridExtent[attribute - 5]);
  case 8:
    return give(kSharedBytes);
  case 10: // lanes of a warp
    return give(32);
  case 12: // registers of a block
  case 82: // and of a multiprocessor
    return give(65536);
  case 16:
    return give(call->options.multiprocessors);
  case 41: // unified addressing
    return give(1);
  case 75: // compute capability
    return give(9);
  case 76:
    return give(0);
  case 81: // shared memory of a multiprocessor
    return give(kMaxSharedBytes + 1024);
  case 88: // pageable memory access
    return give(0);
  case 97:
    return give(kMaxSharedBytes);
  case 106: // blocks of a multiprocessor
    return give(1);
  case 111: // shared memory of a block that the system reserves
    return give(1024);
  case 120: // launches of clusters
    return give(1);
  default:
    return fail(kInvalidValue, "the emulator does not know attribute " +
                                   Twine(attribute) + " of devices");
  }
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
  case 2: // the type of memory: device memory
    return give(2u);
  case 3: // the address on the device
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

/// Returns the allocation that contains the whole copy; null after an error.
static Allocation *findCopied(Call &call, CUdeviceptr address, size_t bytes) {
  if (Allocation *found = call->memory.find(address, bytes))
    return found;
  // Only the end may be out of bounds.
  if (call->memory.find(address, 1))
    fail(kInvalidValue,
         Twine(bytes) + " bytes do not fit " + call->memory.describe(address));
  else
    fail(kInvalidValue, "0x" + llvm::utohexstr(address, true) + " is " +
                            call->memory.describe(address));
  return nullptr;
}

/// Calls `copy` with the bytes on the device, and marks them as written if
/// `writes` is set.
static CUresult copyBytes(CUdeviceptr address, size_t bytes, CUstream stream,
                          bool writes,
                          llvm::function_ref<void(uint8_t *)> copy) {
  Call call;
  if (CUresult error = call.checkStream(stream))
    return error;
  if (bytes == 0)
    return kSuccess;
  Allocation *found = findCopied(call, address, bytes);
  if (!found)
    return kInvalidValue;
  uint64_t offset = address - found->address;
  copy(found->bytes.data() + offset);
  if (writes)
    std::fill_n(found->isWritten.begin() + offset, bytes, true);
  return kSuccess;
}

CUresult driver::cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                      size_t bytes, CUstream stream) {
  return copyBytes(to, bytes, stream, /*writes=*/true,
                   [&](uint8_t *target) { memcpy(target, from, bytes); });
}

CUresult driver::cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                      CUstream stream) {
  return copyBytes(from, bytes, stream, /*writes=*/false,
                   [&](uint8_t *source) { memcpy(to, source, bytes); });
}

CUresult driver::cuMemsetD8Async(CUdeviceptr address, unsigned char value,
                                 size_t bytes, CUstream stream) {
  return copyBytes(address, bytes, stream, /*writes=*/true,
                   [&](uint8_t *target) { memset(target, value, bytes); });
}

//===----------------------------------------------------------------------===//
// Memory, for programs that know that the device is emulated
//===----------------------------------------------------------------------===//

void tessera::emu::nameMemory(uint64_t address, StringRef name) {
  Call call;
  if (Allocation *found = call->memory.findStart(address))
    found->name = name.str();
}

void tessera::emu::nameElements(uint64_t address,
                                std::function<std::string(uint64_t)> name) {
  Call call;
  if (Allocation *found = call->memory.findStart(address))
    found->nameElement = std::move(name);
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
