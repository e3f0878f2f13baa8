//===- HostCode.h - Machine code of this machine ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module of functions to machine code in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_HOST_HOSTCODE_H
#define TESSERA_LIB_HOST_HOSTCODE_H

#include "tessera/Support/LLVM.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace tessera::host {

/// Code of one program of a kernel, and the memory that holds it. The last
/// parameters are the parts of the memref of the arena.
struct HostCode {
  using Program = void(const uint64_t *arguments, uint64_t *state,
                       void *allocated, void *arena, int64_t offset,
                       int64_t size, int64_t stride);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  Program *program = nullptr;
};

/// The processor of this machine, with all its features.
struct HostMachine {
  llvm::orc::JITTargetMachineBuilder builder;
  /// Elements of f32 in a vector register.
  int64_t lanes;
};
llvm::Expected<HostMachine> detectMachine();

/// Lowers `module`, in the dialects of tile-to-host, in place, and compiles its
/// function `name`.
llvm::Expected<HostCode> compile(ModuleOp module, StringRef name,
                                 HostMachine machine);

} // namespace tessera::host

#endif // TESSERA_LIB_HOST_HOSTCODE_H
