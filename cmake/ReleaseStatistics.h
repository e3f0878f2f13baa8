//===- ReleaseStatistics.h - Statistics as LLVM's libraries have them -----===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included first where our own code has assertions and LLVM's libraries have
// none: NDEBUG decides what llvm::Statistic is, and with it the layout of
// mlir::Pass::Statistic, whose constructor is in the library.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CMAKE_RELEASESTATISTICS_H
#define TESSERA_CMAKE_RELEASESTATISTICS_H

#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>

#endif // TESSERA_CMAKE_RELEASESTATISTICS_H
