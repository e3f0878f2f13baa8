//===- KernelAttributes.h - What functions keep of kernels ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of lowered kernels, and of the module around them, for code
// that does not know the dialects: which GPU they are for, and what to say when
// ptxas complains, which sees neither tiles nor warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_KERNELATTRIBUTES_H
#define TESSERA_TARGET_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tessera {

/// A string on the module: the target that its functions are for. This is what
/// `sm.target` becomes.
inline constexpr llvm::StringLiteral kTargetNameAttrName = "sm.target_name";

/// A string: what takes most registers of a thread, and what would leave more.
inline constexpr llvm::StringLiteral kRegisterAdviceAttrName =
    "sm.register_advice";
/// A location: the op at which tiles take most registers.
inline constexpr llvm::StringLiteral kRegisterPeakAttrName = "sm.register_peak";
/// A unit: a thread needs more registers than it has, as far as is known
/// before ptxas.
inline constexpr llvm::StringLiteral kTightAttrName = "sm.tight";
/// A unit: one tile alone takes more registers than a thread has.
inline constexpr llvm::StringLiteral kOverfullAttrName = "sm.overfull";

} // namespace tessera

#endif // TESSERA_TARGET_KERNELATTRIBUTES_H
