//===- ScaleKernel.h - Metadata of a kernel with few arguments --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_RUNTIME_SCALEKERNEL_H
#define TESSERA_TEST_UNITTESTS_RUNTIME_SCALEKERNEL_H

#include "tessera/Runtime/KernelMetadata.h"

namespace tessera::rt {

/// y[N] = by * x[N], in blocks of 128.
inline KernelMetadata makeScale(const char *entry) {
  using Kind = ArgumentInfo::Kind;
  auto size = [](llvm::StringRef text) {
    return llvm::cantFail(SizeExpression::parse(text));
  };
  KernelMetadata kernel;
  kernel.name = "scale";
  kernel.entry = entry;
  kernel.sizes = {"N"};
  ParameterInfo x, by, y;
  x.name = "x";
  x.dims = {size("N")};
  y = x;
  y.name = "y";
  y.access = ParameterInfo::Access::Write;
  by.name = "by";
  by.kind = ParameterInfo::Kind::Scalar;
  kernel.parameters = {x, by, y};
  ArgumentInfo source, target, factor, count;
  target.index = 2;
  factor.kind = Kind::Scalar;
  factor.index = 1;
  count.kind = Kind::Size;
  count.size = size("N");
  kernel.arguments = {source, target, factor, count};
  kernel.grid = {size("N ceildiv 128"), size("1"), size("1")};
  kernel.threads = 128;
  return kernel;
}

} // namespace tessera::rt

#endif // TESSERA_TEST_UNITTESTS_RUNTIME_SCALEKERNEL_H
