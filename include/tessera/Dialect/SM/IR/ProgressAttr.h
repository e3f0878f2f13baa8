//===- ProgressAttr.h - Result of the proof of progress ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sm-expand-rings` proves that no role waits for ever, before it expands the
// rings. Reports read the result from this attribute.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PROGRESSATTR_H
#define TESSERA_DIALECT_SM_IR_PROGRESSATTR_H

#include "llvm/ADT/StringRef.h"

namespace tessera::sm {

/// Attribute of an expanded kernel with roles that wait for each other:
/// `kProvenProgress`, or the reason that there is no proof.
inline constexpr llvm::StringLiteral kProgressAttrName = "sm.progress";
inline constexpr llvm::StringLiteral kProvenProgress = "proven";

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PROGRESSATTR_H
