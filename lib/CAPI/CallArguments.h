//===- CallArguments.h - Arguments of callers in C --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the arguments of a call in C. Errors are returned as text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CAPI_CALLARGUMENTS_H
#define TESSERA_LIB_CAPI_CALLARGUMENTS_H

#include "tessera-c/Runtime.h"

#include "tessera/Runtime/LaunchPlan.h"

namespace tessera::capi {

/// The arguments of one call.
struct CallArguments {
  std::vector<rt::Argument> arguments;
  llvm::StringMap<int64_t> sizes;
};

/// Checks the lengths of arrays before their elements are read: the array of a
/// caller with a wrong length may be shorter.
llvm::Error checkLengths(const rt::KernelMetadata &kernel, size_t numArguments,
                         size_t numSizes);

llvm::Expected<CallArguments> readArguments(const tessera_argument *arguments,
                                            size_t numArguments,
                                            const tessera_size *sizes,
                                            size_t numSizes);

} // namespace tessera::capi

#endif // TESSERA_LIB_CAPI_CALLARGUMENTS_H
