//===- FloatText.h - Floats written in decimal ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one reader of floats that a user wrote: in a source, in an argument, on
// the command line, in PTX. `llvm::StringRef::getAsDouble` must not see text of
// any length: APFloat computes a power of five with as many digits, in time
// that grows with their square, and writes past its buffer from 32 768 digits
// on.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_FLOATTEXT_H
#define TESSERA_ARRAY_FLOATTEXT_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tessera::array {

/// Reads a number in linear time: the nearest double, an infinity if the number
/// is too large. Returns nothing if `text` is no number. Names of infinity and
/// NaN are those of `llvm::StringRef::getAsDouble`.
std::optional<double> readFloat(llvm::StringRef text);

/// Finds a float that is too long for a reader of LLVM, such as the parser of
/// MLIR. Returns its offset in `text`.
std::optional<size_t> findLongFloat(llvm::StringRef text);

/// The error that such a float is, without its place.
inline constexpr char kLongFloatError[] =
    "this number has more than 10000 characters";

} // namespace tessera::array

#endif // TESSERA_ARRAY_FLOATTEXT_H
