//===- MbarrierOps.h - Barriers in shared memory ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MBARRIEROPS_H
#define TESSERA_LIB_EMULATOR_MBARRIEROPS_H

#include "Memory.h"

namespace tessera::emu {

/// Reports if there is none.
sim::Mbarrier *findMbarrier(Warp &warp, const Located &located);

/// Reports, at an instruction of the warp, what a barrier cannot take.
Outcome verify(Warp &warp, const Op &op, const sim::Mbarrier &barrier,
               sim::Mbarrier::Defect defect);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MBARRIEROPS_H
