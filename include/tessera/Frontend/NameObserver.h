//===- NameObserver.h - What names mean -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types depend on compile-time parameters, and those of a fn on its calls: only
// the walk that generates a kernel knows them. An editor listens to it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_NAMEOBSERVER_H
#define TESSERA_FRONTEND_NAMEOBSERVER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tessera::frontend {

/// A declaration, as one call or instance of the code around it has it.
struct ObservedName {
  llvm::StringRef name;
  /// Where the name stands: the line and the column in bytes, from 1.
  uint32_t line, column;
  /// What it is, as the language writes it: `f32[64, 128]`, `int = 64`,
  /// `range of 64`, `bf16[M, K]`.
  std::string type;
  /// The sizes that its axes walk, such as `M, _`; empty if none is known.
  std::string dimensions;
};

/// Is told of each declaration that the front end comes to.
class NameObserver {
public:
  virtual ~NameObserver() = default;
  virtual void declare(const ObservedName &name) = 0;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_NAMEOBSERVER_H
