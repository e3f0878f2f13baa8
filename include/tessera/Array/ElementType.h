//===- ElementType.h - Element types of host arrays -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of arrays on the host: those of the tile dialect, and the
// other types of .npy files. This library does not use MLIR, so the runtime
// library can share these arrays.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_ELEMENTTYPE_H
#define TESSERA_ARRAY_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace tessera::array {

enum class ElementType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I1, // one byte, 0 or 1
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
};

constexpr ElementType kLastElementType = ElementType::U64;

/// Returns the name in the IR: "f32", "f8E4M3FN", "i1", "u8".
llvm::StringRef getName(ElementType type);
/// Returns the name in sources and messages: "f32", "f8e4m3", "bool", "u8".
llvm::StringRef getSourceName(ElementType type);
/// Returns the type with this name in the IR, if there is one.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// Returns the size of one element in memory, in bytes.
unsigned getByteSize(ElementType type);

inline bool isFloat(ElementType type) { return type <= ElementType::F8E5M2; }

/// Returns the type with the same bits that holds signed integers: `I32` of
/// `U32`; other types themselves.
ElementType getSigned(ElementType type);

/// Returns the smallest and the largest value of an integer type. The values of
/// `U64` from 2^63 on are negative as int64_t, and not counted.
int64_t getMinInteger(ElementType type);
int64_t getMaxInteger(ElementType type);

} // namespace tessera::array

#endif // TESSERA_ARRAY_ELEMENTTYPE_H
