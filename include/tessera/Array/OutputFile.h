//===- OutputFile.h - Files that tools write --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes files completely or not at all: a full disk or an interrupted tool
// leaves the previous file intact. All output of the tools uses these
// functions. The name "-" is standard output.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_OUTPUTFILE_H
#define TESSERA_ARRAY_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::array {

/// Checks whether the file `path` can be written, as far as possible without
/// touching it: for a check before a long run. The error names the file.
llvm::Error checkWritable(llvm::StringRef path);

/// Checks whether both names are one file, so that output to one of them
/// overwrites output to the other. Devices and pipes accept any output.
bool isSameFile(llvm::StringRef a, llvm::StringRef b);

/// Writes the file `path`. `print` writes into a temporary file in the same
/// folder, which gets the name and permissions of `path` when it is complete.
/// Devices, pipes, and files in folders where no file can be created or renamed
/// are written in place; `print` may then be called a second time. The error
/// names the file.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print);
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

/// Flushes standard output. Call it last: an error after the last statement of
/// a program ends it without a useful message.
llvm::Error flushStandardOutput();

} // namespace tessera::array

#endif // TESSERA_ARRAY_OUTPUTFILE_H
