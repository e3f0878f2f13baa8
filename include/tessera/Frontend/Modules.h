//===- Modules.h - Files that other files use -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paths of `use`. A path is relative to the file that has the `use`, and
// paths are compared as text: `a/../b.tile` is `b.tile`. Paths that begin with
// `std/` name the standard library, which is embedded in the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_MODULES_H
#define TESSERA_FRONTEND_MODULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tessera::frontend {

/// A file of the standard library.
struct StandardModule {
  /// The path of the file: `std/random.tile`.
  llvm::StringRef path;
  llvm::StringRef text;
};

/// Returns the files of the standard library in alphabetical order.
llvm::ArrayRef<StandardModule> getStandardModules();
/// Returns the file of the standard library with this path; null if none.
const StandardModule *findStandardModule(llvm::StringRef path);
/// Returns the path of the file of the standard library that has a fn `name`;
/// empty if there is none.
llvm::StringRef findStandardModuleOf(llvm::StringRef name);

/// Checks whether the path of a `use` names a file of the standard library.
inline bool isStandardPath(llvm::StringRef path) {
  return path.starts_with("std/");
}

/// Returns the path of a file that is not of the standard library, without `.`
/// and `x/..`. Equal paths name one file.
std::string normalisePath(llvm::StringRef path);
/// Returns the path of the file that a `use` of `path` in the file `user`
/// reads.
std::string getModulePath(llvm::StringRef user, llvm::StringRef path);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_MODULES_H
