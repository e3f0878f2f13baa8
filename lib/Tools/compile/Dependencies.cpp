//===- Dependencies.cpp - The files that an output depends on ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files are the buffers of the SourceMgr, except those of the standard
// library, which are part of the compiler.
//
//===----------------------------------------------------------------------===//

#include "Dependencies.h"

#include "tessera/Array/OutputFile.h"
#include "tessera/Frontend/Modules.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;

/// Writes a path as makefiles quote it.
static void writePath(raw_ostream &os, StringRef path) {
  for (char c : path) {
    if (c == ' ' || c == '#' || c == ':' || c == '\\')
      os << '\\';
    else if (c == '$')
      os << '$';
    os << c;
  }
}

llvm::Error tools::writeDependencies(StringRef path, StringRef output,
                                     const llvm::SourceMgr &sourceMgr) {
  return array::writeFile(path, [&](raw_ostream &os) {
    writePath(os, output);
    os << ":";
    for (unsigned i = 1; i <= sourceMgr.getNumBuffers(); ++i) {
      StringRef file = sourceMgr.getMemoryBuffer(i)->getBufferIdentifier();
      if (i != sourceMgr.getMainFileID() && frontend::isStandardPath(file))
        continue;
      os << " \\\n  ";
      writePath(os, file);
    }
    os << "\n";
  });
}
