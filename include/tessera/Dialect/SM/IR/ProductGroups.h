//===- ProductGroups.h - Products in flight ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limit of wgmma.wait_group, which waits for products.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PRODUCTGROUPS_H
#define TESSERA_DIALECT_SM_IR_PRODUCTGROUPS_H

#include <cstdint>

namespace tessera::sm {

/// Largest number of groups that a wait can leave in flight: the instruction
/// has three bits for the number.
constexpr int64_t kMostGroupsLeft = 7;

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PRODUCTGROUPS_H
