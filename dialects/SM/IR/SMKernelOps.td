//===- SMKernelOps.td - Kernels, roles and programs --------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMKERNELOPS
#define TESSERA_DIALECTS_SM_IR_SMKERNELOPS

include "dialects/SM/IR/SMOpBase.td"

def SM_KernelOp : SM_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"ReturnOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a kernel: what each CTA of a launch executes";
  let description = [{
    The body is run by every CTA. Its arguments are the parameters, as in `tile.kernel`.
    The grid is only kept for the launch and for reports: programs are numbered, the first
    axis fastest, and `sm.program_id` is the number.

    `warps` counts the warps of a CTA. A kernel without roles is executed by all of them
    together; with roles, each role by its own, and what stands beside the roles by all.

    `persistent` launches at most as many CTAs as run at once; the body then walks over programs in
    steps of `sm.cta_count`. `shared_memory` is the size in bytes that
    `sm-allocate-smem` has found. `requires` lists sizes that must be 0 at launch (the
    attribute `conditions`): a kernel whose copies need aligned strides is no kernel for
    others.

    With `cluster` (one number of CTAs for each of the first axes, of which at most one is
    above 1) a program is run by a cluster: its CTAs take as many tiles of that axis, by
    their `sm.cta_rank`, and the axis has as many programs less. The last cluster may have
    CTAs beyond the end of the axis, which do what all do on nothing.

    `plan` says what `sm-tma-stores` and `sm-partition` make of a planned kernel
    (`#sm.plan`).

    Forms: see `dialects/SM/README.md`.

    Constraints:
    - C1: parameters are global tensors or scalars of a tile element type or `index`.
    - C2: one name per parameter.
    - C3: 1 to 32 warps; with roles, their warps sum to `warps`.
    - C4: registers of roles: the sum over warps is at most what the launch allocates,
      65536 / (32 * warps) rounded down to a multiple of 8, times the warps; a role of
      less than four warps shares the budget of its warpgroup.
    - C5: tiles in registers have a layout over the warps of their role, or of the kernel
      beside the roles.
    - C6: addresses are aligned, and within `shared_memory` if that is known.
    - C7: `cluster` has at most as many sizes as there are axes; all are positive, at most
      one is above 1, and it is at most what every GPU of the target launches.
    - C8: a plan stands in the planned form. Ops that name a ring or a store of it
      (`sm.plan_entry`) find it there; those of "math" by `sm.smem.store` alone, and others by none.
      Each store is named. `sm-partition` requires that each ring is named, too.
    - C9: the last role of the plan has the warps of the kernel, those before it fill
      whole warpgroups, and there are no more than a block has; "store" has one warp; roles
      that compute in turn are warpgroups, in a persistent kernel.
    - C10: registers of the plan are as C2 of `sm.role` and C4 say.
    - C11: ops of one block that name a ring fill one slot of it; all slots of a ring
      have the same tiles, and none is filled within a block that may hold another. A slot
      that "math" fills has one tile.
    - C12: rings, stores and `rest` fit into the shared memory of a block.
    - C13: ops that name one store by a role have tiles of one type, which are sequences of
      boxes.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M, N] x f32>, %by: f32)
        grid(m in tiles(M, 16), n in tiles(N, 64)) warps(4) requires(N mod 4) {
      %p = sm.program_id
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$param_names,
                       TypedArrayAttrBase<Tile_AxisAttr, "grid axes">:$grid,
                       I64Attr:$warps, OptionalAttr<Tile_ScheduleAttr>:$schedule,
                       DefaultValuedAttr<SM_FormAttr, "::tessera::sm::Form::Planned">:$form,
                       UnitAttr:$persistent, OptionalAttr<I64Attr>:$shared_memory,
                       OptionalAttr<TypedArrayAttrBase<Tile_SizeAttr, "sizes">>:$conditions,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       OptionalAttr<SM_PlanAttr>:$plan);
  let regions = (region SizedRegion<1>:$body);
  // Without conditions, cluster and plan.
  let builders = [OpBuilder<(ins
      "::mlir::StringAttr":$sym_name, "::mlir::ArrayAttr":$param_names,
      "::mlir::ArrayAttr":$grid, "::mlir::IntegerAttr":$warps,
      "::tessera::tile::ScheduleAttr":$schedule, "::tessera::sm::FormAttr":$form,
      "::mlir::UnitAttr":$persistent, "::mlir::IntegerAttr":$shared_memory), [{
    build($_builder, $_state, sym_name, param_names, grid, warps, schedule, form,
          persistent, shared_memory, /*conditions=*/::mlir::ArrayAttr(),
          /*cluster=*/::mlir::DenseI64ArrayAttr(), /*plan=*/PlanAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getParams() { return getBody().getArguments(); }
    ::llvm::StringRef getParamName(unsigned index) {
      return ::llvm::cast<::mlir::StringAttr>(getParamNames()[index]).getValue();
    }
    ::llvm::SmallVector<::tessera::tile::AxisAttr> getAxes() {
      return ::llvm::to_vector(getGrid().getAsRange<::tessera::tile::AxisAttr>());
    }
    int64_t getThreads() { return getWarps() * 32; }
    /// The CTAs of a cluster, 1 without one.
    int64_t getClusterSize();
    /// The axis along which a cluster has several CTAs.
    std::optional<unsigned> getClusterAxis();
    /// The number of programs along each axis.
    ::llvm::SmallVector<::tessera::tile::SizeAttr> getProgramCounts();
  }];
}

def SM_ReturnOp : SM_Op<"return", [Pure, Terminator, HasParent<"KernelOp">, ReturnLike]> {
  let summary = "the end of a kernel";
  let description = [{
    Not written in the custom form of `sm.kernel`.

    ```mlir
    sm.kernel @empty() grid() warps(1) {
      sm.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

// No effects are declared, so that a role without ops is not dead: it has warps.
def SM_RoleOp : SM_Op<"role", [
    HasParent<"KernelOp">, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "what some warps of a CTA do";
  let description = [{
    All roles of a kernel run at the same time, the first one on the first warps. What a
    role computes is seen by others only through rings and global memory. `registers` is
    what the role's threads get (`setmaxnreg`); without it they keep what the launch
    allocated. An `elected` role is executed by one thread of its first warp: it has no
    tiles in registers, and nothing in it takes all threads.

    Constraints:
    - C1: the parent is a kernel.
    - C2: `registers` is a multiple of 8 from 24 to 256; only roles of whole warpgroups, or
      the last roles of a warpgroup, have them.
    - C3: layouts of tiles have the warps of the role (the kernel checks it).

    ```mlir
    sm.kernel @f() grid() warps(12) {
      sm.role "load" warps(4) registers(40) elected {
      }
      sm.role "math" warps(8) registers(232) {
      }
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps, OptionalAttr<I64Attr>:$registers,
                       UnitAttr:$elected);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `warps` `(` custom<PlainInteger>($warps) `)`
    (`registers` `(` custom<PlainInteger>($registers)^ `)`)? (`elected` $elected^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of its first warp in the CTA.
    int64_t getFirstWarp();
    int64_t getThreads() { return getWarps() * 32; }
  }];
}

class SM_UniformIndexOp<string mnemonic> : SM_Op<mnemonic, [Pure]> {
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
  let builders = [OpBuilder<(ins), [{
    $_state.addTypes($_builder.getIndexType());
  }]>];
}

def SM_ProgramIdOp : SM_UniformIndexOp<"program_id"> {
  let summary = "the number of the program";
  let description = [{
    For a persistent kernel, the first program of the CTA. All CTAs of a cluster have the
    same.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      %p = sm.program_id
    }
    ```
  }];
}

def SM_CtaCountOp : SM_UniformIndexOp<"cta_count"> {
  let summary = "the number of CTAs of the launch";
  let description = [{
    In a kernel with clusters, the number of these: how many programs run at once.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      %p = sm.cta_count
    }
    ```
  }];
}

def SM_CtaRankOp : SM_UniformIndexOp<"cta_rank"> {
  let summary = "the number of the CTA in its cluster";
  let description = [{
    From 0; 0 without clusters.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(1) cluster(2) {
      %r = sm.cta_rank
    }
    ```
  }];
}

def SM_NextProgramOp : SM_EffectOp<"next_program"> {
  let summary = "draws a program that no CTA has begun";
  let description = [{
    A CTA that draws its programs begins with `sm.program_id`, and draws once after each
    program that it has run: numbers come in ascending order, each to one CTA. A number of
    at least `programs`, of which each CTA draws one, is the end. So a launch draws as
    often as it has programs, and the counter in global memory, which the launcher hands
    in, is back at 0 after the last draw (PTX ISA, "atom", `.inc`).

    Constraints:
    - C1: in an elected role of a persistent kernel without clusters.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(1) persistent {
      %programs = tile.size M ceildiv 64
      %first = sm.program_id
      sm.role "load" warps(1) elected {
        %end = scf.while (%p = %first) : (index) -> index {
          %more = arith.cmpi slt, %p, %programs : index
          scf.condition(%more) %p : index
        } do {
        ^bb0(%p: index):
          %next = sm.next_program of %programs
          scf.yield %next : index
        }
      }
    }
    ```
  }];
  let arguments = (ins Index:$programs);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $programs attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$programs), [{
    $_state.addOperands(programs);
    $_state.addTypes($_builder.getIndexType());
  }]>];
  let hasVerifier = 1;
}

def SM_ClusterBarrierOp : SM_EffectOp<"cluster.barrier"> {
  let summary = "waits for all threads of the cluster";
  let description = [{
    Orders accesses to shared memory across the CTAs (PTX ISA, "barrier.cluster"). One
    stands between the initialisation of barriers and what another CTA does at them, and
    one at the end: a CTA that leaves takes its shared memory with it, so nobody leaves
    while a peer may still write or arrive there.

    Constraints:
    - C1: the parent is a kernel with clusters; it stands beside the roles.

    ```mlir
    sm.kernel @f(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(1) cluster(2) {
      sm.cluster.barrier
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def SM_BarrierOp : SM_EffectOp<"barrier"> {
  let summary = "waits for all threads of the role";
  let description = [{
    Orders the accesses of the role's threads (of the CTA, outside of a role) to shared
    and global memory: `bar.sync`.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      sm.barrier
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def SM_FenceOp : SM_EffectOp<"fence"> {
  let summary = "makes accesses visible to tensor copies and tensor cores";
  let description = [{
    What each thread has read and written in shared memory is ordered before what
    asynchronous operations do after it: its own ones, and those of whoever has met it
    at a barrier after this op (PTX ISA, "fence.proxy.async"). Placed by
    `sm-place-fences`.

    ```mlir
    sm.kernel @f() grid() warps(4) form(fenced) {
      sm.fence
      sm.barrier
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TESSERA_DIALECTS_SM_IR_SMKERNELOPS
