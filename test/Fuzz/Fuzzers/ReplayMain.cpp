//===- ReplayMain.cpp - Runs fuzzer inputs without libFuzzer ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main function of the fuzzers in an ordinary build: runs the inputs named
// on the command line (files, or folders of files), so that the kept corpus is
// a test everywhere.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Runs one file. Returns whether it could be read.
static bool replay(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << "cannot read '" << path << "'\n";
    return false;
  }
  // Printed before the run: after a crash, the last line names the input.
  llvm::outs() << path << "\n";
  llvm::outs().flush();
  LLVMFuzzerTestOneInput(
      reinterpret_cast<const uint8_t *>((*buffer)->getBufferStart()),
      (*buffer)->getBufferSize());
  return true;
}

int main(int argc, char **argv) {
  unsigned count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!llvm::sys::fs::is_directory(argv[i])) {
      if (!replay(argv[i]))
        return 1;
      ++count;
      continue;
    }
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(argv[i], error), end;
         entry != end && !error; entry.increment(error)) {
      if (!replay(entry->path()))
        return 1;
      ++count;
    }
    if (error) {
      llvm::errs() << "cannot read '" << argv[i] << "': " << error.message()
                   << "\n";
      return 1;
    }
  }
  llvm::outs() << count << " inputs\n";
  return count == 0;
}
