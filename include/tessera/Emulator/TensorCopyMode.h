//===- TensorCopyMode.h - Modes of tensor copies ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_TENSORCOPYMODE_H
#define TESSERA_EMULATOR_TENSORCOPYMODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Accepts the parts of the name of a tensor copy (cp.async.bulk.tensor,
/// cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor) if its mode is
/// `.tile`, named or not. Fails for the im2col modes and for gather4 and
/// scatter4, with what a program can use instead.
llvm::Error verifyTensorCopyMode(llvm::ArrayRef<llvm::StringRef> parts);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_TENSORCOPYMODE_H
