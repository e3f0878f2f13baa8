//===- SharedMemory.cpp - The shared memory of one CTA --------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/SharedMemory.h"

#include <cstring>

using namespace tessera;
using namespace tessera::sim;

ArrayRef<uint8_t> SharedMemory::read(int64_t byte, int64_t count) const {
  return ArrayRef(contents).slice(byte, count);
}

void SharedMemory::write(int64_t byte, ArrayRef<uint8_t> bytes) {
  std::memcpy(contents.data() + byte, bytes.data(), bytes.size());
}
