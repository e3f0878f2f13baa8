//===- Arc4Random.cpp - A function of newer C libraries -------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives of LLVM that were built on Debian 12 use this one function of glibc
// 2.36. With the definition here, glibc 2.35 of Ubuntu 22.04 is enough.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <unistd.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  // As in glibc: the function cannot report a failure.
  if (getentropy(&value, sizeof(value)))
    std::abort();
  return value;
}
