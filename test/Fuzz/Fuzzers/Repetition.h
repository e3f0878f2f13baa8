//===- Repetition.h - Long inputs of a fuzzer in few bytes ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader that recurses, or has a buffer of fixed size, fails for longer
// inputs than a fuzzer generates. In this encoding, a byte from 0x80 to 0x92
// repeats the preceding byte up to 2^18 times. All other bytes from 0x80 on are
// dropped.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_FUZZ_REPETITION_H
#define TESSERA_TEST_FUZZ_REPETITION_H

#include <cstddef>
#include <cstdint>
#include <string>

/// Returns the text that `data` describes, of at most 2^19 bytes.
inline std::string expandRepetitions(const uint8_t *data, size_t size) {
  constexpr size_t maxLength = size_t(1) << 19;
  constexpr unsigned maxExponent = 18;
  std::string text;
  for (size_t i = 0; i < size && text.size() < maxLength; ++i) {
    if (data[i] < 0x80)
      text += static_cast<char>(data[i]);
    else if (data[i] - 0x80u <= maxExponent && !text.empty())
      text.append(size_t(1) << (data[i] - 0x80), text.back());
  }
  return text;
}

#endif // TESSERA_TEST_FUZZ_REPETITION_H
