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
  let summary = "a kernel: the code that each CTA of a launch executes";
  let description = [{
    Every CTA runs the body. Its arguments are the parameters, as in `tile.kernel`. The
    grid is only kept for the launch and for reports. Programs are numbered with the first
    axis fastest, and `sm.program_id` is the number.

    `warps` is the number of warps of a CTA. All warps execute a kernel without roles
    together. In a kernel with roles, each role has its own warps, and all warps execute the
    operations of kernel scope.

    - `persistent`: a launch has at most the number of CTAs that run at once. The body loops
      over programs in steps of `sm.cta_count`.
    - `shared_memory`: the bytes that `sm-allocate-smem` has assigned.
    - `requires` (the attribute `conditions`): sizes that must be 0 at launch. For example,
      tensor copies need aligned strides, and a launch with other strides takes a variant.
    - `cluster`: one number of CTAs for each of the first axes, at most one above 1. A
      cluster runs one program: its CTAs compute adjacent tiles of that axis, numbered by
      `sm.cta_rank`. With 4 CTAs, 30 tiles are 8 programs. The last cluster may have CTAs
      beyond the end of the axis; all their accesses are out of bounds.
    - `plan`: the roles, rings and stores that `sm-tma-stores` and `sm-partition` make of a
      planned kernel (`#sm.plan`).

    Forms: see `dialects/SM/README.md`.

    Constraints:
    - C1: parameters are global tensors or scalars of a tile element type or `index`.
    - C2: one name per parameter.
    - C3: 1 to 32 warps; with roles, their warps sum to `warps`.
    - C4: registers of roles: the sum over warps is at most the allocation of the launch,
      65536 / (32 * warps) rounded down to a multiple of 8, times the warps. Roles of less
      than four warps share the budget of their warpgroup.
    - C5: tiles in registers have a layout over the warps of their role; in kernel scope,
      over the warps of the kernel.
    - C6: addresses are aligned, and within `shared_memory` if that is known.
    - C7: `cluster` has at most one size for each axis. All sizes are positive and at most
      one is above 1. It is at most the size that every GPU of the target launches.
    - C8: only a planned kernel has a plan. Each ring or store that an operation names
      (`sm.plan_entry`) is in the plan. Rings of "math" and "transform" are for
      `sm.smem.store`, those of "transform" also for vectors, and others for fetches and loads.
      Each store is named by an operation; `sm-partition` requires the same of rings.
    - C9: the last role of the plan has the warps of the kernel. The roles before it fill
      whole warpgroups. A block has enough warps for all roles. "store" has one warp.
      Ping-pong roles are warpgroups, in a persistent kernel.
    - C10: registers of the plan obey C4, and C2 of `sm.role`.
    - C11: operations of one block that name a ring fill one slot of it. All slots of a ring
      have the same tiles. No operation in a nested block fills a slot of the same ring. A
      slot that "math" fills has one tile.
    - C12: rings, stores and `rest` fit into the shared memory of a block.
    - C13: operations that name one store by a role have tiles of one type. Such a tile is a
      sequence of boxes.

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
  let summary = "the code that some warps of a CTA execute";
  let description = [{
    All roles of a kernel run at the same time, the first one on the first warps. Roles
    communicate only through rings and global memory. `registers` is the register budget of
    each thread (`setmaxnreg`, PTX ISA); the default is the allocation of the launch. One
    thread of the first warp executes an `elected` role. Such a role has no tiles in
    registers, and no operation that requires all threads.

    Constraints:
    - C1: the parent is a kernel.
    - C2: `registers` is a multiple of 8 from 24 to 256. Only roles of whole warpgroups, or
      the last roles of a warpgroup, have `registers`.
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
    In a persistent kernel, the number of the first program of the CTA. All CTAs of a
    cluster have the same number.

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
    In a kernel with clusters, the number of clusters: each cluster runs one program.

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
  let summary = "fetches the number of a program that no CTA has begun";
  let description = [{
    The first program of a CTA is `sm.program_id`. After each program the CTA increments a
    counter in global memory once (PTX ISA, "atom", `.inc`). Numbers ascend, and each goes to
    one CTA. A number of at least `programs` ends the CTA. The counter, an argument of the
    launch, is incremented once for each program. It wraps to 0 with the last one.

    Constraints:
    - C1: the op is in an elected role of a persistent kernel without clusters.

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
    Orders accesses to shared memory across the CTAs (PTX ISA, "barrier.cluster"). A kernel
    needs one after the initialisation of its barriers, before another CTA uses them. It
    needs another one at its end: the shared memory of a CTA ends with the CTA, and a peer
    may still write to it or arrive at its barriers.

    Constraints:
    - C1: the parent is a kernel with clusters.

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
    Orders the accesses to shared and global memory of all threads of the role; in kernel
    scope, of the CTA (PTX ISA, "bar.sync").

    With `grid`, it also waits for this barrier in all other CTAs of the launch, and orders the
    accesses to global memory of all of them. The CTAs must all run at the same time, as those
    of a cooperative launch do.

    Constraints:
    - C1: with `grid`, the kernel has neither clusters nor a loop over programs, and only one
      role has barriers with `grid`.

    ```mlir
    sm.kernel @f() grid() warps(1) {
      sm.barrier
      sm.barrier grid
    }
    ```
  }];
  let arguments = (ins UnitAttr:$grid);
  let builders = [OpBuilder<(ins), "build($_builder, $_state, false);">];
  let assemblyFormat = "(`grid` $grid^)? attr-dict";
  let hasVerifier = 1;
}

def SM_FenceOp : SM_EffectOp<"fence"> {
  let summary = "makes accesses visible to tensor copies and tensor cores";
  let description = [{
    Orders the earlier accesses of each thread to shared memory before later asynchronous
    operations (PTX ISA, "fence.proxy.async"). These are the operations of the thread itself,
    and of threads that meet it at a barrier after this op. `sm-place-fences` inserts fences.

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
