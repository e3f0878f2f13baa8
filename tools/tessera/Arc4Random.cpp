//===- Arc4Random.cpp - A function of newer C libraries -------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives of LLVM that were built on Debian 12 take this one function from
// glibc 2.36. With it here, 2.35 is enough, which Ubuntu 22.04 has.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <unistd.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  // As in glibc: there is no way to say that it failed.
  if (getentropy(&value, sizeof(value)))
    std::abort();
  return value;
}
