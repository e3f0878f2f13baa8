//===- HostArrays.h - Tensors in memory of the caller -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between strided tensors of the caller and dense arrays.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_HOST_HOSTARRAYS_H
#define TESSERA_LIB_TOOLS_HOST_HOSTARRAYS_H

#include "tessera/Array/NDArray.h"
#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Tools/launch/Report.h"

namespace tessera::tools {

/// Returns the elements of `tensor`, whose strides are not empty.
array::NDArray gather(const rt::TensorArgument &tensor);
/// Writes the elements of `array` to `tensor`, of the same shape and type.
void scatter(const array::NDArray &array, const rt::TensorArgument &tensor);

/// Returns a number as an array of rank 0.
array::NDArray makeScalar(array::ElementType type, const rt::Argument &number);

/// Reads the tensors that a run has written.
using ReadTensor = llvm::function_ref<array::NDArray(unsigned index)>;
using CountUnwritten = llvm::function_ref<Unwritten(unsigned index)>;

/// Checks that the run wrote every element of the outputs of `kernel`.
llvm::Error checkWritten(const rt::KernelMetadata &kernel,
                         llvm::ArrayRef<rt::Argument> arguments,
                         CountUnwritten countUnwritten);
/// Copies the tensors that the kernel writes to the memory of the caller.
void writeResults(const rt::KernelMetadata &kernel,
                  llvm::ArrayRef<rt::Argument> arguments, ReadTensor read);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_HOST_HOSTARRAYS_H
