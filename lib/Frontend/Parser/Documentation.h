//===- Documentation.h - Comments above declarations ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_PARSER_DOCUMENTATION_H
#define TESSERA_LIB_FRONTEND_PARSER_DOCUMENTATION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tessera::frontend {

/// Returns the `///` comment above the line that begins at `begin`, without the
/// slashes.
std::string getDocumentation(llvm::StringRef source, size_t begin);

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_PARSER_DOCUMENTATION_H
