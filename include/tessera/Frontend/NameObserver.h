//===- NameObserver.h - Declarations and their types ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types depend on compile-time parameters, and types in a fn depend on its
// calls. Only the generation of a kernel knows them. An editor observes it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_NAMEOBSERVER_H
#define TESSERA_FRONTEND_NAMEOBSERVER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tessera::frontend {

/// A declaration in one instance of the code around it: a kernel with values of
/// its parameters, or one call of a fn.
struct ObservedName {
  llvm::StringRef name;
  /// The line and the column of the name, in bytes, from 1.
  uint32_t line, column;
  /// The type as the language writes it: `f32[64, 128]`, `int = 64`,
  /// `range of 64`, `bf16[M, K]`.
  std::string type;
  /// The sizes that the axes walk, such as `M, _`; empty if none is known.
  std::string dimensions;
};

/// Receives the declarations in the order in which the front end meets them.
class NameObserver {
public:
  virtual ~NameObserver() = default;
  virtual void declare(const ObservedName &name) = 0;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_NAMEOBSERVER_H
