//===- MbarrierOps.h - Barriers in shared memory ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_BARRIERS_MBARRIEROPS_H
#define TESSERA_LIB_EMULATOR_BARRIERS_MBARRIEROPS_H

#include "Memory/Memory.h"

namespace tessera::emu {

/// Returns the barrier at an address of a thread, and its location; null after
/// a report if there is none.
sim::Mbarrier *findMbarrier(Warp &warp, Space space, uint64_t address, int lane,
                            Located &located);

/// Checks that its maker has fenced the barrier before a copy may complete
/// there, if the options require it.
Outcome checkMbarrierFence(Warp &warp, const Located &barrier, int lane);

/// Lets the asynchronous operation of `op` arrive at a barrier, which may no
/// longer exist. Reports the defect of the arrival.
Outcome
arriveLater(Warp &warp, const Op &op, const Located &located,
            llvm::function_ref<sim::Mbarrier::Defect(sim::Mbarrier &)> arrive);
/// Completes all bytes of the copy `number` at a barrier.
Outcome completeLater(Warp &warp, const Op &op, const Located &located,
                      uint64_t bytes, uint32_t number);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_BARRIERS_MBARRIEROPS_H
