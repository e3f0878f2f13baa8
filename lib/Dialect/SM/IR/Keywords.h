//===- Keywords.h - Words and numbers in attributes -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keywords that several attributes and types of the sm dialect share.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_IR_KEYWORDS_H
#define TESSERA_LIB_DIALECT_SM_IR_KEYWORDS_H

#include "tessera/Layout/SharedTile.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/OpImplementation.h"

namespace tessera::sm {

/// Parses a keyword of the enumeration EnumTy; `expected` lists all keywords.
template <typename EnumTy>
ParseResult parseEnum(AsmParser &parser, StringRef expected,
                      std::optional<EnumTy> (*symbolize)(StringRef),
                      EnumTy &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<EnumTy> found = symbolize(keyword);
  if (!found)
    return parser.emitError(loc) << "expected " << expected;
  value = *found;
  return success();
}

/// The swizzle of so many bytes, which were parsed at `loc`.
inline ParseResult readSwizzle(AsmParser &parser, SMLoc loc, int64_t bytes,
                               layout::Swizzle &swizzle) {
  if (bytes != 32 && bytes != 64 && bytes != 128)
    return parser.emitError(loc) << "expected a swizzle of 32, 64 or 128";
  swizzle = static_cast<layout::Swizzle>(bytes);
  return success();
}

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_IR_KEYWORDS_H
