//===- SMPlanAttrs.td - Plans of kernels and products ------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMPLANATTRS
#define TESSERA_DIALECTS_SM_IR_SMPLANATTRS

include "dialects/SM/IR/SMDialect.td"
include "mlir/IR/AttrTypeBase.td"

/// An entry of a plan: `name : contents`.
class SM_PlanEntry<string name, string mnemonic_> : SM_Attr<name, mnemonic_> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  code entryDeclarations = [{
    /// Without the angles, as in the lists of a plan.
    void printEntry(::mlir::AsmPrinter &os) const;
  }];
}

def SM_PlannedRoleAttr : SM_PlanEntry<"PlannedRole", "planned_role"> {
  let summary = "a role of a plan";
  let description = [{
    Its warps, the registers of each thread, whether one thread executes it (`elected`), and
    the number of ping-pong roles (`turns`, 1 by default).

    Constraints:
    - C1: at least one warp and one turn.

    ```mlir
    sm.kernel @f() grid() warps(4)
        attributes {a = #sm.planned_role<load : warps 4 registers 40 elected>,
                    b = #sm.planned_role<math : warps 4 registers 240 turns 2>} {
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"its name">:$name, "int64_t":$warps,
                        "int64_t":$registers, "bool":$elected, "int64_t":$turns);
  let extraClassDeclaration = entryDeclarations;
}

def SM_PlannedRingAttr : SM_PlanEntry<"PlannedRing", "planned_ring"> {
  let summary = "a ring of a plan";
  let description = [{
    Its number of slots and its producer:

    - `tma`: tensor copies of role "load";
    - `threads`: the threads of role "fetch";
    - `math`: role "math", with tiles that its warpgroups exchange;
    - `transform`: role "transform", with tiles that it computes for MMAs.

    Constraints:
    - C1: at least one slot.

    ```mlir
    sm.kernel @f() grid() warps(4)
        attributes {a = #sm.planned_ring<k : slots 2 tma>,
                    b = #sm.planned_ring<lse : slots 2 threads>,
                    c = #sm.planned_ring<exchange : slots 2 math>,
                    d = #sm.planned_ring<weights : slots 2 transform>} {
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"its name">:$name, "int64_t":$slots,
                        "::tessera::sm::Filler":$filler);
  code fillerDeclarations = [{
    bool getByThreads() const { return getFiller() == Filler::Threads; }
    /// Whether the role that computes fills it for itself.
    bool isExchange() const { return getFiller() == Filler::Math; }
    /// Whether tiles of `sm.smem.store` go through it, and none that are fetched.
    bool takesSmemStores() const { return isExchange() || getFiller() == Filler::Transform; }
  }];
  let extraClassDeclaration = entryDeclarations # fillerDeclarations;
}

def SM_PlannedStoreAttr : SM_PlanEntry<"PlannedStore", "planned_store"> {
  let summary = "a store by tensor copies, of a plan";
  let description = [{
    The number of buffers of each warpgroup (`buffers`), or the number of slots of a ring to
    role "store", which copies the tiles (`slots … store`).

    Constraints:
    - C1: 1 to 8 buffers, as for `sm.tma.store`; or at least one slot.

    ```mlir
    sm.kernel @f() grid() warps(4) attributes {a = #sm.planned_store<o : buffers 2>,
                                               b = #sm.planned_store<dq : slots 1 store>} {
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"its name">:$name, "int64_t":$count,
                        "bool":$byRole);
  code countDeclarations = [{
    /// Of each warpgroup; none if a role stores.
    int64_t getBuffers() const { return getByRole() ? 0 : getCount(); }
    /// Of the ring to the role that stores; none if there is none.
    int64_t getSlots() const { return getByRole() ? getCount() : 0; }
  }];
  let extraClassDeclaration = entryDeclarations # countDeclarations;
}

def SM_PlanAttr : SM_Attr<"Plan", "plan"> {
  let summary = "the roles, rings and stores of a planned kernel";
  let description = [{
    `sm-plan` or a person decides on the plan; `sm-tma-stores` and `sm-partition` carry it
    out and make no choices. Operations name their entry in the attribute `sm.plan_entry`:

    - a fetch or a load names the ring through which its tile arrives;
    - an `sm.smem.store` names the ring through which warpgroups exchange its tile, or role
      "transform" passes it;
    - a store or an addition names its entry of `stores`.

    Fetches of one block that name one ring share a slot. Stores that name one store by a
    role share its ring. An operation without a name stays in role "math". The kernel
    computes the same without the plan and the names.

    - `roles`: none, or some of these. One thread of "load" fills rings by tensor copies. The
      threads of "fetch" fill other rings. One thread of "store" starts the copies of stores
      by a role. The warpgroups of "transform" compute operands of MMAs. "math" does
      all other work, alone or in ping-pong with a second role "math".
    - `rings`: the rings through which tiles arrive or are exchanged.
    - `stores`: the stores by tensor copies.
    - `rest`: the bytes of shared memory for everything else, from barriers to scratch
      memory. `sm-allocate-smem` enforces the limit.

    Constraints:
    - C1: names of one list differ.
    - C2: a plan has rings if and only if it has roles. The roles include "load" (elected)
      and "math". They include "fetch" if threads fill a ring, "store" (elected) if a store
      has slots, and "transform" if it fills a ring; otherwise not. Tensor copies or
      "fetch" fill at least one ring. Only role "math" has `turns`, and only without role
      "store" and without a ring that "math" fills.
    - C3: `rest` is not negative.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, N] x f32, out>) grid() warps(4)
        plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 248],
             rings = [x : slots 2 tma],
             stores = [y : buffers 1],
             rest = 6144> {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %M = tile.size M
      %N = tile.size N
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %w = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      %s = scf.for %i = %c0 to %N step %c64 iter_args(%t = %z) -> (tensor<64x16xf32, #acc>) {
        %a = sm.fetch %x[%c0, %i] dims [0, 1] limits(%M, %N) {sm.plan_entry = "x"} : !tile.global<[M, N] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
        %n = sm.mma %a, %w, %t : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
        scf.yield %n : tensor<64x16xf32, #acc>
      }
      sm.store %s to %y[%c0, %c0] dims [0, 1] limits(%M, %N) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !tile.global<[M, N] x f32, out>, index, index
    }
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"PlannedRoleAttr">:$roles,
                        OptionalArrayRefParameter<"PlannedRingAttr">:$rings,
                        OptionalArrayRefParameter<"PlannedStoreAttr">:$stores,
                        "int64_t":$rest);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// With `separator` between the lists.
    void printLists(::mlir::AsmPrinter &os, ::llvm::StringRef separator) const;

    /// Return the entry of this name; null if there is none.
    PlannedRingAttr findRing(::llvm::StringRef name) const;
    PlannedStoreAttr findStore(::llvm::StringRef name) const;
    /// Returns role "math" of a plan with roles.
    PlannedRoleAttr getMath() const { return getRoles().back(); }
    /// Returns the number of roles "math"; more than one are in ping-pong.
    int64_t getComputingRoles() const {
      return getRoles().empty() ? 1 : getMath().getTurns();
    }
  }];
}

def SM_PlannedOperandAttr : SM_Attr<"PlannedOperand", "planned_operand"> {
  let summary = "the place of an operand of a planned product";
  let description = [{
    - `registers`: in registers;
    - `shared`: in shared memory, in the order of the source;
    - `transposed`: in shared memory, as a copy that threads transpose.

    An operand in shared memory has a swizzle of 128, 64 or 32 bytes, or none.

    Constraints:
    - C1: only an operand in shared memory has a swizzle.

    ```mlir
    tile.kernel @f() grid() attributes {a = #sm.planned_operand<registers>,
                                        b = #sm.planned_operand<shared 128>,
                                        c = #sm.planned_operand<transposed 64>,
                                        d = #sm.planned_operand<shared>} {
    }
    ```
  }];
  let parameters = (ins "::tessera::sm::OperandPlace":$place,
                        "::tessera::layout::Swizzle":$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isInRegisters() const { return getPlace() == OperandPlace::Registers; }
    /// Without the angles, as in a planned product.
    void printPlace(::mlir::AsmPrinter &os) const;
  }];
}

def SM_PlannedProductAttr : SM_Attr<"PlannedProduct", "product"> {
  let summary = "the unit that computes a product, and the places of its operands";
  let description = [{
    `tile-plan-products` or a person decides, for each `tile.gemm` of a kernel with
    `sm.warpgroups` or `sm.warps`; `tile-to-sm` carries the plan out and makes no choices.
    `tensor_cores` becomes `sm.mma`, `threads` becomes `sm.dot`. `a` and `b` are the operands
    before their transpositions. The rows of a product determine its split over warpgroups: see
    docs/passes/tile-plan-products.md.

    Constraints:
    - C1: `b` is in shared memory.
    - C2: both operands of `threads` are `shared`.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, K] x bf16>, %w: !tile.global<[K, N] x bf16>,
                   %y: !tile.global<[M, N] x f32, out>)
        grid(%m in tiles(M, 128), %n in tiles(N, 64)) attributes {sm.warpgroups = 2 : i64} {
      %c0 = arith.constant 0 : index
      %K = tile.size K
      %k = tile.range %c0 to %K : !tile.range<64 of K>
      %zero = arith.constant dense<0.0> : tensor<128x64xf32>
      %a = tile.load %x[%m, %k] : !tile.global<[M, K] x bf16>, !tile.range<128 of M>, !tile.range<64 of K> -> tensor<128x64xbf16>
      %b = tile.load %w[%k, %n] : !tile.global<[K, N] x bf16>, !tile.range<64 of K>, !tile.range<64 of N> -> tensor<64x64xbf16>
      %p = tile.gemm %a, %b, %zero {sm.product = #sm.product<tensor_cores, a = shared 128, b = shared 128>} : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      tile.store %p to %y[%m, %n] : tensor<128x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<128 of M>, !tile.range<64 of N>
    }
    ```
  }];
  let parameters = (ins "::tessera::sm::ProductUnit":$unit, "PlannedOperandAttr":$a,
                        "PlannedOperandAttr":$b);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isOnTensorCores() const { return getUnit() == ProductUnit::TensorCores; }
  }];
}

#endif // TESSERA_DIALECTS_SM_IR_SMPLANATTRS
