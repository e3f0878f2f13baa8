//===- SMOpBase.td - Base class of the sm operations -------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMOPBASE
#define TESSERA_DIALECTS_SM_IR_SMOPBASE

include "dialects/SM/IR/SMEnums.td"
include "dialects/SM/IR/SMInterfaces.td"
include "dialects/SM/IR/SMTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class SM_Op<string mnemonic, list<Trait> traits = []>
    : Op<SM_Dialect, mnemonic, traits>;

// Ops with effects on shared memory, barriers or the tensor cores. Such ops keep their order.
class SM_EffectOp<string mnemonic, list<Trait> traits = []>
    : SM_Op<mnemonic, traits # [MemoryEffects<[MemRead, MemWrite]>]>;

// Shared memory: buffers, scratch memory, accesses, asynchronous ops, and waits for these.
def SM_TakesBuffer : DeclareOpInterfaceMethods<SM_SharedMemoryOpInterface>;
def SM_TakesScratch : DeclareOpInterfaceMethods<SM_SharedMemoryOpInterface, ["isScratch"]>;
def SM_Accesses : DeclareOpInterfaceMethods<SM_SharedAccessOpInterface>;
def SM_Asynchronous : DeclareOpInterfaceMethods<SM_AsynchronousOpInterface>;
def SM_Awaits : DeclareOpInterfaceMethods<SM_AwaitOpInterface>;

#endif // TESSERA_DIALECTS_SM_IR_SMOPBASE
