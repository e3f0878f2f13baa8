//===- SMOps.td - Umbrella of the sm dialect ---------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMOPS
#define TESSERA_DIALECTS_SM_IR_SMOPS

include "dialects/SM/IR/SMDialect.td"
include "dialects/SM/IR/SMEnums.td"
include "dialects/SM/IR/SMAttrs.td"
include "dialects/SM/IR/SMTypes.td"
include "dialects/SM/IR/SMKernelOps.td"
include "dialects/SM/IR/SMTileOps.td"
include "dialects/SM/IR/SMMemoryOps.td"
include "dialects/SM/IR/SMProductOps.td"
include "dialects/SM/IR/SMRingOps.td"
include "dialects/SM/IR/SMMachineOps.td"

#endif // TESSERA_DIALECTS_SM_IR_SMOPS
