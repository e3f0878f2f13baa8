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

/// The barrier at an address that a thread gives, and where it lies; null if
/// there is none, which is reported.
sim::Mbarrier *findMbarrier(Warp &warp, Space space, uint64_t address, int lane,
                            Located &located);

/// Whether its maker has fenced it before a copy may complete there, if
/// launches are held to that.
Outcome checkMbarrierFence(Warp &warp, const Located &barrier, int lane);

/// The asynchronous operation that `op` has started arrives at a barrier, which
/// may be gone by then. Reports what the barrier cannot take.
Outcome
arriveLater(Warp &warp, const Op &op, const Located &located,
            llvm::function_ref<sim::Mbarrier::Defect(sim::Mbarrier &)> arrive);
/// The same of all bytes of the copy `number`.
Outcome completeLater(Warp &warp, const Op &op, const Located &located,
                      uint64_t bytes, uint32_t number);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_BARRIERS_MBARRIEROPS_H
