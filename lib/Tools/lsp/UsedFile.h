//===- UsedFile.h - A fn of another file ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the declaration of a fn that a file uses by `use "path" (name);`.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_USEDFILE_H
#define TESSERA_LIB_TOOLS_LSP_USEDFILE_H

#include "tessera/Frontend/Outline.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tessera::tools {

/// Returns the path of the file with this URI; the URI itself if it is not of a
/// file.
std::string getFilePath(llvm::StringRef uri);

/// A file on disk or of the standard library, as another file uses it.
class UsedFile {
public:
  /// `user` is the path of the file with the `use`, and `name` one of its
  /// names.
  UsedFile(llvm::StringRef user, const frontend::OutlineName &name);

  /// Returns the declaration; null if the file or the fn does not exist.
  const frontend::OutlineName *getFn() const { return fn; }
  const frontend::Outline &getOutline() const { return *outline; }
  /// Returns the URI of the file; empty for the standard library.
  std::string getUri() const;

private:
  std::string path;
  bool isStandard;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<frontend::Outline> outline;
  const frontend::OutlineName *fn = nullptr;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_USEDFILE_H
