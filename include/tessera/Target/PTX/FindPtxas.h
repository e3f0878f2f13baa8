//===- FindPtxas.h - Search for ptxas ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas is a part of the compiler, and some of its versions silently generate
// wrong code for sm_90a. The search never chooses such a version. A version
// that is named explicitly is used, with a warning.
//
// Depends on LLVM's support library only, not on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_FINDPTXAS_H
#define TESSERA_TARGET_PTX_FINDPTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tessera::ptx {

struct PtxasProgram {
  std::string path;
  /// "13.5.37", or empty if the program does not report its version.
  std::string version;
};

/// Searches in this order:
///
/// - `given` if not empty;
/// - the environment variable TESSERA_PTXAS;
/// - the Python environment next to the folder of the running program, where
///   `./tessera` installs the pinned version;
/// - PATH;
/// - an active Python environment;
/// - the CUDA toolkits below /usr/local, newest first;
/// - the Python packages of the user and the system.
///
/// Versions with known defects are skipped unless they are named. An error
/// lists the places, the skipped programs, and how to get a good one.
llvm::Expected<PtxasProgram> findPtxas(llvm::StringRef given = {});

/// Returns the known defects of a version, as sentences without a period, or an
/// empty text.
std::string describeDefects(llvm::StringRef version);

/// Returns how to get a version without known defects, as a phrase.
llvm::StringRef getPtxasAdvice();

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_FINDPTXAS_H
