//===- RingDepth.h - Depths of rings ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_RINGDEPTH_H
#define TESSERA_DIALECT_SM_IR_RINGDEPTH_H

#include <cstdint>

namespace tessera::sm {

/// The most slots of a ring, also in a plan, and of slots without barriers.
constexpr int64_t kMostRingSlots = 64;

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_RINGDEPTH_H
