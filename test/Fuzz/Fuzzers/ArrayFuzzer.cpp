//===- ArrayFuzzer.cpp - Any bytes as array or specification ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes, a .npy file or an argument specification is read or
// refused. What was read is written and read again, and must be the same.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ArraySpec.h"
#include "tessera/Array/NumpyFile.h"

#include <cstring>

using namespace tessera::array;

static void readNumpy(llvm::StringRef contents) {
  llvm::Expected<NDArray> array = parseNumpy(contents);
  if (!array)
    return llvm::consumeError(array.takeError());
  llvm::Expected<NDArray> again = parseNumpy(formatNumpy(*array));
  if (!again || again->getShape() != array->getShape())
    __builtin_trap();
  if (again->getType() == array->getType() &&
      (again->getNumBytes() != array->getNumBytes() ||
       (array->getNumBytes() != 0 &&
        std::memcmp(again->getBytes(), array->getBytes(),
                    array->getNumBytes()) != 0)))
    __builtin_trap();
}

static void readSpec(llvm::StringRef text) {
  llvm::Expected<ArraySpec> spec = ArraySpec::parse(text);
  if (!spec)
    return llvm::consumeError(spec.takeError());
  int64_t count = 1;
  for (int64_t extent : spec->shape)
    count *= extent;
  if (spec->kind == ArraySpec::Kind::File || count > 10000)
    return;
  for (ElementType type : {ElementType::BF16, ElementType::I8})
    if (llvm::Expected<NDArray> array = spec->materialize(type, 1, "x"); !array)
      llvm::consumeError(array.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.starts_with("\x93"))
    readNumpy(text);
  else
    readSpec(text);
  return 0;
}
