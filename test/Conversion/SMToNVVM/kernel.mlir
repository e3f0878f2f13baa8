// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm --mlir-print-local-scope | FileCheck %s
// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// What a kernel becomes: the arguments in their order, the attributes of the launch, uniform code.

// CHECK: llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// The address of x, not that of `unused`; the scalars; M + 1, read as a size; the stride of x's
// rows. The stride of the last dimension is 1 and no argument.
// CHECK-LABEL: llvm.func @uniform(
// CHECK-SAME: %[[X:[^:]+]]: !llvm.ptr<1>, %[[N:[^:]+]]: i32, %[[FLAG:[^:]+]]: i8, %[[BY:[^:]+]]: f32, %[[SIZE:[^:]+]]: i32, %[[STRIDE:[^:]+]]: i64)
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 128>
// CHECK-SAME: {\22index\22:0,\22kind\22:\22address\22}
// CHECK-SAME: {\22index\22:2,\22kind\22:\22scalar\22}
// CHECK-SAME: {\22index\22:3,\22kind\22:\22scalar\22}
// CHECK-SAME: {\22index\22:4,\22kind\22:\22scalar\22}
// CHECK-SAME: {\22kind\22:\22size\22,\22size\22:\22M + 1\22,\22type\22:\22i32\22}
// CHECK-SAME: {\22kind\22:\22size\22,\22size\22:\22(K)\22,\22type\22:\22i64\22}
// CHECK-SAME: \22grid\22:[\22((M) ceildiv 16) * (K)\22,\221\22,\221\22]
// CHECK-SAME: \22name\22:\22uniform\22
// CHECK-SAME: \22threads\22:128
// EXECUTE: uniform flag=0
sm.kernel @uniform(%x: !tile.global<[M, K] x f32, inout>, %unused: !tile.global<[M] x f32>, %n: index, %flag: i1, %by: f32)
    grid(m in tiles(M, 16), k in K) warps(4) {
  // The warp is made uniform by a shuffle.
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[WARP:.*]] = llvm.lshr %[[TID]]
  // CHECK: nvvm.shfl.sync idx {{.*}}, %[[WARP]]
  // CHECK: llvm.trunc %[[FLAG]] : i8 to i1
  // CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK: %[[COUNT:.*]] = nvvm.read.ptx.sreg.nctaid.x : i32
  // CHECK: llvm.br ^[[HEAD:.*]](%[[ID]] : i32)
  // CHECK: ^[[HEAD]](%[[I:.*]]: i32)
  // CHECK: llvm.icmp "slt" %[[I]], %[[SIZE]] : i32
  // CHECK: nvvm.barrier0
  // LOC-LABEL: llvm.func @uniform
  // LOC: nvvm.barrier0 loc("{{.*}}kernel.mlir":[[# @LINE + 6 ]]:
  %p = sm.program_id
  %c = sm.cta_count
  %m = tile.size M + 1
  %c8 = tile.size 8
  scf.for %i = %p to %m step %c {
    sm.barrier
    // 64-bit addresses from 32-bit positions.
    // CHECK: %[[WIDE:.*]] = llvm.sext %[[I]] : i32 to i64
    // CHECK: llvm.mul %[[WIDE]], %[[STRIDE]] : i64
    // CHECK: llvm.add %[[I]], %[[COUNT]] : i32
    scf.if %flag {
      sm.store %by to %x[%i, %n] dims [] : f32, !tile.global<[M, K] x f32, inout>, index, index
    }
  }
}

// Words of PTX, and what each module declares, are names of kernels but not of entries.
// CHECK-LABEL: llvm.func @WARP_SZ__(
// CHECK-SAME: \22entry\22:\22WARP_SZ__\22
// CHECK-SAME: \22name\22:\22WARP_SZ\22
sm.kernel @WARP_SZ() grid() warps(4) form(expanded) {
}
// CHECK-LABEL: llvm.func @WARP_SZ_(
sm.kernel @WARP_SZ_() grid() warps(4) form(expanded) {
}
// CHECK-LABEL: llvm.func @smem_(
sm.kernel @smem() grid() warps(4) form(expanded) {
}

// So are characters that PTX does not have in names.
// CHECK-LABEL: llvm.func @a$20b(
// CHECK-LABEL: llvm.func @__(
sm.kernel @"a b"() grid() warps(4) form(expanded) {
}
sm.kernel @_() grid() warps(4) form(expanded) {
}

// CHECK-LABEL: llvm.func @persistent(
// CHECK-SAME: \22persistent\22:true
// CHECK-SAME: \22sharedMemory\22:4096
// EXECUTE: persistent not, since nothing gives its size
sm.kernel @persistent() grid(m in M) warps(12) persistent form(expanded) shared(4096) {
}
