//===- ControlFlow.h - Reconvergence of a warp's threads --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_CONTROLFLOW_H
#define TESSERA_EMULATOR_CONTROLFLOW_H

#include "tessera/Emulator/Module.h"

namespace tessera::emu {

/// The end of the kernel, where threads do not reconverge.
inline constexpr unsigned kNowhere = ~0u;

/// Returns, for each divergent branch in `kernel.body` (a guarded `bra`,
/// `brx.idx`), the instruction where its threads reconverge: the first one of
/// the block that immediately post-dominates the branch. The result is kNowhere
/// for other instructions and if there is no such block. `ret`, `exit` and
/// `trap`, guarded or not, lead to the end.
std::vector<unsigned> findReconvergence(const Kernel &kernel);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_CONTROLFLOW_H
