//===- Sizes.h - Sizes of a call on the command line ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_SIZES_H
#define TESSERA_LIB_TOOLS_COMPILE_SIZES_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tessera::tools {

/// Returns the names that bind sizes of a kernel.
std::vector<llvm::StringRef> getSizeNames(const llvm::json::Object &kernel);

/// Returns "the time of kernel 'k' also depends on M, N" for those of `names`
/// that `sizes` lacks; an empty text if there are none.
std::string describeMissingSizes(llvm::StringRef kernel,
                                 llvm::ArrayRef<llvm::StringRef> names,
                                 const llvm::StringMap<int64_t> &sizes);

/// Returns the row of the kernel to compile in `kernels` of describeKernels.
/// Without a name the file has one kernel.
llvm::Expected<const llvm::json::Object *>
findKernel(const llvm::json::Array &kernels, StringRef name);

/// The sizes of a call by name.
using Shape = llvm::StringMap<int64_t>;

/// Reads a list of NAME=SIZE, the value of `option`. A name that is there
/// already begins another shape. With `kernel`, a row of describeKernels, the
/// names must be sizes or `int` parameters of it. Returns at least one shape.
llvm::Expected<std::vector<Shape>>
readShapes(StringRef option, ArrayRef<std::string> texts,
           const llvm::json::Object *kernel = nullptr);

/// The same for an option with one shape.
llvm::Expected<Shape> readSizes(StringRef option, ArrayRef<std::string> texts,
                                const llvm::json::Object *kernel = nullptr);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_SIZES_H
