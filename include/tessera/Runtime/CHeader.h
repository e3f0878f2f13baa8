//===- CHeader.h - Typed launchers in C -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates a header for callers in C99 or C++. For each kernel of a package,
// the header has a struct of its arguments, and functions that launch with the
// struct. The fields of the struct are pointers, scalars and sizes, by their
// names and types. The functions are inline and call the C interface of the
// runtime (tessera-c/Runtime.h). Users of the header link
// libtessera_runtime.so, but no part of the compiler.
//
//   matmul_args args = {0};
//   args.a = a; args.b = b; args.c = c;
//   args.M = 4096; args.N = 4096; args.K = 1024;
//   if (matmul_load(device, package, &kernel) ||
//       matmul_launch(kernel, stream, &args))
//     puts(tessera_last_error());
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_CHEADER_H
#define TESSERA_RUNTIME_CHEADER_H

#include "tessera/Runtime/KernelPackage.h"

namespace tessera::rt {

/// Returns the text of the header. Names that C does not permit (keywords,
/// dots) get underscores.
std::string emitHeader(const KernelPackage &package);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_CHEADER_H
