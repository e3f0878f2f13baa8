//===- Literals.h - Values of number literals -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 4.5.1 and 4.5.2: integers in four bases, and floating point in
// decimal or as the bits of its format.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_LITERALS_H
#define TESSERA_LIB_EMULATOR_PARSER_LITERALS_H

#include "Cursor.h"

#include <cstdint>

namespace tessera::emu::parsing {

struct Constant {
  enum Kind : uint8_t {
    Signed,
    Unsigned,
    Single,  // 0f3F800000: `bits` of f32
    Double,  // 0d3FF0000000000000: `bits` of f64
    Decimal, // 1.5: `bits` of f64, rounded later
  };
  Kind kind = Signed;
  uint64_t bits = 0;

  bool isInteger() const { return kind <= Unsigned; }
};

/// Parses a token of kind Number.
bool parseLiteral(Cursor &cursor, Constant &constant);

/// Parses an integer literal in [minimum, maximum]; `what` names it in errors.
bool parseCount(Cursor &cursor, const llvm::Twine &what, uint64_t minimum,
                uint64_t maximum, uint64_t &value);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_LITERALS_H
