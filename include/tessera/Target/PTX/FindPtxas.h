//===- FindPtxas.h - Which ptxas makes the machine code ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas is a part of the compiler, and some of its versions make wrong code for
// sm_90a without a word. A version that does is never taken by itself; one that
// is asked for by name is, with a warning.
//
// LLVM's support library only; no MLIR.
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
  /// "13.5.37", or empty if it does not say.
  std::string version;
};

/// Looks at, in this order: `given` if not empty, the environment's
/// TESSERA_PTXAS, and then the Python environment beside the folder of the
/// running program (`./tessera` installs the pinned version there), PATH, an
/// active Python environment, the CUDA toolkits below /usr/local (newest
/// first), and the Python packages of the user and the system. Of those that
/// are not named, versions with known defects are passed over. An error lists
/// the places, what was passed over, and how to get a good one.
llvm::Expected<PtxasProgram> findPtxas(llvm::StringRef given = {});

/// What is known against a version, as sentences without a period, or empty.
std::string describeDefects(llvm::StringRef version);

/// How to get a version that has no known defects, as a phrase.
llvm::StringRef getPtxasAdvice();

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_FINDPTXAS_H
