//===- ValueText.h - Numbers and tiles as text ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of values for users.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_VALUETEXT_H
#define TESSERA_ARRAY_VALUETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tessera::array {

/// Returns the shortest decimal text that reads back as the same f32, or f64.
std::string formatFloat(double value, bool isDouble = false);

/// Prints the elements of a tile in nested brackets; a scalar without any. Of a
/// tile of more than 256 elements, it prints the first and the last three along
/// each axis. `print` prints the element of a row-major position.
void printElements(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> shape,
                   llvm::function_ref<void(int64_t)> print);

} // namespace tessera::array

#endif // TESSERA_ARRAY_VALUETEXT_H
