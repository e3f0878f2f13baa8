//===- DLPack.h - Tensors of other libraries, by DLPack ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the binary interface of DLPack 1 that reads a tensor without
// creating an object. A type of tensors has the attribute
// __dlpack_c_exchange_api__: a capsule with a table of functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_PYTHON_DLPACK_H
#define TESSERA_LIB_PYTHON_DLPACK_H

#include <cstdint>

namespace tessera::python::dlpack {

constexpr const char *kCapsuleName = "dlpack_exchange_api";
constexpr uint32_t kMajorVersion = 1;

struct Tensor {
  void *data;
  int32_t deviceType;
  int32_t deviceId;
  int32_t rank;
  uint8_t typeCode;
  uint8_t typeBits;
  uint16_t typeLanes;
  /// Shape of the tensor, which outlives this struct.
  const int64_t *shape;
  /// In elements; null for dense and row-major tensors.
  const int64_t *strides;
  uint64_t byteOffset;
};

struct ExchangeHeader {
  uint32_t major;
  uint32_t minor;
  /// The functions of an older version, or null.
  const ExchangeHeader *previous;
};

struct ExchangeTable {
  ExchangeHeader header;
  /// These functions create managed tensors, which this module does not use.
  void (*allocate)();
  void (*exportManaged)();
  void (*importManaged)();
  /// Describes the tensor of a Python object. Returns a number other than 0
  /// with a Python error. May be null.
  int (*describe)(void *object, Tensor *tensor);
  void (*getStream)();
};

/// Returns the table of the version that this module supports, or null.
inline const ExchangeTable *findTable(const void *newest) {
  auto *header = static_cast<const ExchangeHeader *>(newest);
  while (header && header->major != kMajorVersion)
    header = header->previous;
  auto *table = reinterpret_cast<const ExchangeTable *>(header);
  return table && table->describe ? table : nullptr;
}

} // namespace tessera::python::dlpack

#endif // TESSERA_LIB_PYTHON_DLPACK_H
