//===- ModuleLoader.h - Reads the files of a program ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the main file and the files that it uses, each once, and finds the fns
// that each file sees: its own, and those that it uses by name. Names are not
// passed on: a file sees nothing of the files that its modules use.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_MODULELOADER_H
#define TESSERA_FRONTEND_MODULELOADER_H

#include "AST.h"
#include "Diagnostics.h"

#include "tessera/Support/LLVM.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm

namespace tessera::frontend {

/// A file with its syntax tree.
struct SourceModule {
  std::string path;
  Program program;
  /// The fns of the file alone.
  FnTable ownFns;
  /// These, and the fns that the file uses.
  FnTable visibleFns;
  /// The place of each name at the top level.
  llvm::StringMap<SourcePlace> places;
  /// A file is being read until all files that it uses have been read.
  enum class State : uint8_t { Reading, Correct, Wrong };
  State state = State::Reading;
};

class ModuleLoader {
public:
  ModuleLoader(llvm::SourceMgr &sourceMgr, Diagnostics &diagnostics)
      : sourceMgr(sourceMgr), diagnostics(diagnostics) {}

  /// Reads the main buffer and the files that it uses. Check `diagnostics` for
  /// errors.
  SourceModule &loadMain();

private:
  /// Bounds the number of files, and so the recursion.
  static constexpr size_t kMaxFiles = 256;

  SourceModule &read(StringRef path, StringRef text, uint32_t number);
  SourceModule *load(const UseDecl &use, const SourceModule &user);
  SourceModule *find(StringRef path);
  const llvm::MemoryBuffer *open(const UseDecl &use, const std::string &path);
  void reportMissing(const UseDecl &use, StringRef path, StringRef problem);
  void declareOwn(SourceModule &module);
  void declareUsed(SourceModule &module, const UseDecl &use,
                   SourceModule &used);
  /// Records a name at the top level. Returns false after an error.
  bool declare(SourceModule &module, Name name);

  llvm::SourceMgr &sourceMgr;
  Diagnostics &diagnostics;
  std::vector<std::unique_ptr<SourceModule>> modules;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_MODULELOADER_H
