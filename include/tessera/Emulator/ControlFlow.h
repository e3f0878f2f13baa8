//===- ControlFlow.h - Where threads of a warp meet again -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_CONTROLFLOW_H
#define TESSERA_EMULATOR_CONTROLFLOW_H

#include "tessera/Emulator/Module.h"

namespace tessera::emu {

/// Stands for the end of the kernel, where threads do not meet again.
inline constexpr unsigned kNowhere = ~0u;

/// For each instruction of `kernel.body` that is a branch which some threads
/// may take and others not (a guarded `bra`, `brx.idx`): the first instruction
/// that all of them come to, which is the first one of the block that
/// immediately post-dominates it; kNowhere for others, and if there is none.
/// `ret`, `exit` and `trap`, guarded or not, lead to the end.
std::vector<unsigned> findReconvergence(const Kernel &kernel);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_CONTROLFLOW_H
