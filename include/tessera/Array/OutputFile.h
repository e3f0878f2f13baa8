//===- OutputFile.h - Files that tools write --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is written as a whole or stays what it was: what fills a disk, or
// stops half way, leaves the good file of yesterday. All that a tool writes
// goes through here. The name "-" stands for standard output.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_OUTPUTFILE_H
#define TESSERA_ARRAY_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::array {

/// Whether the file `path` can be written, as far as can be told without
/// touching it: for a check before a long run. The error names it.
llvm::Error checkWritable(llvm::StringRef path);

/// Whether both names are of one file, so that what is written into one of them
/// is lost with the other. Devices and pipes take everything.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Writes the file `path`: `print` goes into a file beside it, which takes its
/// name and permissions when it is complete. Devices, pipes, and files in
/// folders where nothing can be made or renamed are written as they stand;
/// then `print` may be called a second time. The error names the file.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

/// Writes what is left of standard output. Call it last: what fails after the
/// last statement of a program ends it without a word that helps.
llvm::Error flushStandardOutput();

} // namespace tessera::array

#endif // TESSERA_ARRAY_OUTPUTFILE_H
