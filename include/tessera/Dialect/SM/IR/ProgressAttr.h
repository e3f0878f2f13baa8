//===- ProgressAttr.h - What is known of progress ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sm-expand-rings` proves that no role waits for ever, while rings are still
// ops. Reports read the result here, after that pass.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PROGRESSATTR_H
#define TESSERA_DIALECT_SM_IR_PROGRESSATTR_H

#include "llvm/ADT/StringRef.h"

namespace tessera::sm {

/// The attribute of an expanded kernel whose roles wait for each other:
/// `kProvenProgress`, or why there is no proof that the roles come to their
/// ends.
inline constexpr llvm::StringLiteral kProgressAttrName = "sm.progress";
inline constexpr llvm::StringLiteral kProvenProgress = "proven";

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PROGRESSATTR_H
