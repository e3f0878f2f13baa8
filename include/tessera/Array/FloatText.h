//===- FloatText.h - Floats written in decimal ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads all floats that users write: in sources, arguments, command lines and
// PTX. Long text must not reach `llvm::StringRef::getAsDouble`. APFloat
// computes a power of five with as many digits as the text, in quadratic time,
// and writes past its buffer from 32 768 digits on.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_FLOATTEXT_H
#define TESSERA_ARRAY_FLOATTEXT_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tessera::array {

/// Reads a number in linear time: returns the nearest double, or an infinity if
/// the number is too large. Returns nothing if `text` is not a number. Accepts
/// the names of infinity and NaN that `llvm::StringRef::getAsDouble` accepts.
std::optional<double> readFloat(llvm::StringRef text);

/// Finds a float that is too long for a parser of LLVM or MLIR. Returns its
/// offset in `text`.
std::optional<size_t> findLongFloat(llvm::StringRef text);

/// The error message for such a float, without its location.
inline constexpr char kLongFloatError[] =
    "this number has more than 10000 characters";

} // namespace tessera::array

#endif // TESSERA_ARRAY_FLOATTEXT_H
