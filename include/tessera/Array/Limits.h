//===- Limits.h - Largest sizes ---------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_LIMITS_H
#define TESSERA_ARRAY_LIMITS_H

#include <cstdint>

namespace tessera::array {

/// The largest size of a kernel, in elements: an extent of a tensor, or a size
/// of the grid. Machine code computes positions in 32 bits, and a tile of at
/// most 2^24 elements may begin at the last valid position.
constexpr int64_t kMaxSize = (int64_t(1) << 31) - (int64_t(1) << 24);

/// The text of this limit, for messages.
constexpr char kMaxSizeText[] = "2^31 - 2^24";

} // namespace tessera::array

#endif // TESSERA_ARRAY_LIMITS_H
