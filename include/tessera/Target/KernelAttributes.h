//===- KernelAttributes.h - Attributes of lowered kernels -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of lowered kernels, and of the module around them, for code that
// does not depend on the dialects. They contain the target, and advice for
// complaints of ptxas, which sees neither tiles nor warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_KERNELATTRIBUTES_H
#define TESSERA_TARGET_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tessera {

/// A string on the module: the target of its functions. `sm.target` is lowered
/// to this attribute.
inline constexpr llvm::StringLiteral kTargetNameAttrName = "sm.target_name";

/// A string: the tiles that take most registers of a thread, and a change that
/// would free some.
inline constexpr llvm::StringLiteral kRegisterAdviceAttrName =
    "sm.register_advice";
/// A location: the op at which tiles take most registers.
inline constexpr llvm::StringLiteral kRegisterPeakAttrName = "sm.register_peak";
/// A unit: a thread needs more registers than it has, by the estimate before
/// ptxas.
inline constexpr llvm::StringLiteral kTightAttrName = "sm.tight";
/// A unit: one tile alone takes more registers than a thread has.
inline constexpr llvm::StringLiteral kOverfullAttrName = "sm.overfull";

/// An array of strings with the buffers in dynamic shared memory: "bytes 0 to
/// 32767: tiles of 'a': 4 slots of 64x64 f16". Buffers that are not live at the
/// same time may overlap. PTX repeats the strings as comments.
inline constexpr llvm::StringLiteral kSharedBuffersAttrName =
    "sm.shared_buffers";

} // namespace tessera

#endif // TESSERA_TARGET_KERNELATTRIBUTES_H
