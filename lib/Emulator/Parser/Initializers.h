//===- Initializers.h - Initial values of variables -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 5.4.4 "Initializers".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_INITIALIZERS_H
#define TESSERA_LIB_EMULATOR_PARSER_INITIALIZERS_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

namespace tessera::emu::parsing {

/// The sizes of an array, outermost first. A vector is one more dimension, with
/// all elements given.
struct Shape {
  Type type = Type::B8;
  SmallVector<uint64_t, 3> sizes;
  bool isVector = false;
  /// The outermost size, 0 so far, is the number of given elements.
  bool isUnsized = false;
  /// Some initial values are addresses, which `bytes` does not have.
  bool hasAddresses = false;
};

/// Parses the initial value after '='. Sets the outermost size if `shape` is
/// unsized.
bool parseInitializer(Cursor &cursor, Shape &shape,
                      std::vector<uint8_t> &bytes);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_INITIALIZERS_H
