//===- CallInlining.h - Inlining of calls -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PROGRAM_CALLINLINING_H
#define TESSERA_LIB_EMULATOR_PROGRAM_CALLINLINING_H

#include "tessera/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Returns the kernel with calls replaced by the bodies of the functions; null
/// if it has no calls. Fails at the first call that cannot be replaced, as
/// "12:3: 'f' calls itself".
llvm::Expected<std::unique_ptr<Kernel>> inlineCalls(const Module &module,
                                                    const Kernel &kernel);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_PROGRAM_CALLINLINING_H
