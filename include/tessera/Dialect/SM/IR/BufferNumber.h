//===- BufferNumber.h - Copies of one buffer --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_BUFFERNUMBER_H
#define TESSERA_DIALECT_SM_IR_BUFFERNUMBER_H

#include "llvm/ADT/StringRef.h"

namespace tessera::sm {

/// The attribute of an `sm.smem.store`: the number of its buffer, an i64. Ops
/// of a role with the same number are copies of one op, as pipelining makes
/// them, and write to the same bytes.
inline constexpr llvm::StringLiteral kBufferNumberAttrName = "sm.buffer_number";

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_BUFFERNUMBER_H
