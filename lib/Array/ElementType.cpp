//===- ElementType.cpp - Element types of host arrays -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, sizes and bounds of the element types.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ElementType.h"
#include <limits>

using namespace tessera::array;

llvm::StringRef tessera::array::getName(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "f64";
  case ElementType::F32:
    return "f32";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F8E4M3FN:
    return "f8E4M3FN";
  case ElementType::F8E5M2:
    return "f8E5M2";
  case ElementType::I1:
    return "i1";
  case ElementType::I8:
    return "i8";
  case ElementType::I16:
    return "i16";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  case ElementType::U8:
    return "u8";
  case ElementType::U16:
    return "u16";
  case ElementType::U32:
    return "u32";
  case ElementType::U64:
    return "u64";
  }
  return "";
}

llvm::StringRef tessera::array::getSourceName(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3FN:
    return "f8e4m3";
  case ElementType::F8E5M2:
    return "f8e5m2";
  case ElementType::I1:
    return "bool";
  default:
    return getName(type);
  }
}

std::optional<ElementType>
tessera::array::parseElementType(llvm::StringRef name) {
  for (unsigned i = 0; i <= static_cast<unsigned>(kLastElementType); ++i)
    if (getName(static_cast<ElementType>(i)) == name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

unsigned tessera::array::getByteSize(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
  case ElementType::U64:
    return 8;
  case ElementType::F32:
  case ElementType::I32:
  case ElementType::U32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I16:
  case ElementType::U16:
    return 2;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
    return 1;
  }
  return 0;
}

ElementType tessera::array::getSigned(ElementType type) {
  switch (type) {
  case ElementType::U8:
    return ElementType::I8;
  case ElementType::U16:
    return ElementType::I16;
  case ElementType::U32:
    return ElementType::I32;
  case ElementType::U64:
    return ElementType::I64;
  default:
    return type;
  }
}

int64_t tessera::array::getMinInteger(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return std::numeric_limits<int8_t>::min();
  case ElementType::I16:
    return std::numeric_limits<int16_t>::min();
  case ElementType::I32:
    return std::numeric_limits<int32_t>::min();
  case ElementType::I64:
    return std::numeric_limits<int64_t>::min();
  default:
    return 0;
  }
}

int64_t tessera::array::getMaxInteger(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return 1;
  case ElementType::I8:
    return std::numeric_limits<int8_t>::max();
  case ElementType::I16:
    return std::numeric_limits<int16_t>::max();
  case ElementType::I32:
    return std::numeric_limits<int32_t>::max();
  case ElementType::I64:
  case ElementType::U64:
    return std::numeric_limits<int64_t>::max();
  case ElementType::U8:
    return std::numeric_limits<uint8_t>::max();
  case ElementType::U16:
    return std::numeric_limits<uint16_t>::max();
  case ElementType::U32:
    return std::numeric_limits<uint32_t>::max();
  default:
    return 0;
  }
}
