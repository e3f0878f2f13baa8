// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Tiles between registers and shared memory, and in shared memory.

// REPORT-DAG: matrices: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: vectors: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: fills: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: clips: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: unaligned: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: dots: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled
// REPORT-DAG: dots8: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// Fragments of 16 bits: four matrices at a time, between the barriers.
// CHECK-LABEL: llvm.func @matrices
// CHECK-SAME: sm.shared_buffers = ["bytes 0 to 8191: tiles of 'x': 64x64 bf16, swizzle 128", "bytes 0 to 8191: tiles of 'y': 64x64 bf16, swizzle 128"
// CHECK: cp.async.wait_all
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}} num = 4
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: nvvm.barrier0
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$2, $3}], [$1];
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
sm.kernel @matrices(%x: !tile.global<[M, K] x bf16>, %y: !tile.global<[M, K] x bf16, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %v = sm.smem.load %a : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #acc>
  %s = sm.smem.store %v : tensor<64x64xbf16, #acc> -> !sm.smem<64x64xbf16, swizzle = 128>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<64x64xbf16, swizzle = 128>, !tile.global<[M, K] x bf16, out>, index, index
}

#blocked = #sm.layout<"16x64 = register[4*(0,1) 2*(8,0)] lane[16*(0,4) 2*(1,0)] warp[4*(2,0)]">

// CHECK-LABEL: llvm.func @vectors
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-2: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
sm.kernel @vectors(%x: !tile.global<[M, K] x f32>, %y: !tile.global<[M, K] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %i] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f32>, index, index -> !sm.smem<16x64xf32, swizzle = 128>
  %v = sm.smem.load %a : !sm.smem<16x64xf32, swizzle = 128> -> tensor<16x64xf32, #blocked>
  %s = sm.smem.store %v : tensor<16x64xf32, #blocked> -> !sm.smem<16x64xf32, swizzle = 128>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %K) : !sm.smem<16x64xf32, swizzle = 128>, !tile.global<[M, K] x f32, out>, index, index
}

#pairs = #sm.layout<"64x32 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">

// What is filled in: pairs of 32-bit elements, of which half of the lanes write in another order. A copy adds it.
// CHECK-LABEL: llvm.func @fills
// CHECK: llvm.select
// CHECK-COUNT-8: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: nvvm.barrier0
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add
sm.kernel @fills(%x: !tile.global<[M, 32] x f32>, %y: !tile.global<[M, 32] x f32, inout>, %i: index) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %first = arith.constant 0 : i32
  %M = tile.size M
  %stages = sm.slots.alloc : !sm.slots<1 x !sm.smem<64x32xf32, swizzle = 128>>
  %v = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c32) : !tile.global<[M, 32] x f32>, index, index -> tensor<64x32xf32, #pairs>
  %t = sm.slots.at %stages[%first] : !sm.slots<1 x !sm.smem<64x32xf32, swizzle = 128>>
  sm.slot.store %t with %v : !sm.smem<64x32xf32, swizzle = 128>, tensor<64x32xf32, #pairs>
  sm.copy.store %t to %y[%i, %c0] dims [0, 1] limits(%M, %c32) add : !sm.smem<64x32xf32, swizzle = 128>, !tile.global<[M, 32] x f32, inout>, index, index
}

// Rows are zeroed in pieces, columns one by one. A whole warp does so for a role of one thread: the other ops of the role
// are for the thread that is elected, and their results for all.
// CHECK-LABEL: llvm.func @clips
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK: %[[VOTES:.*]] = nvvm.vote.sync ballot %{{.*}}, %[[ELECTED]]
// CHECK: %[[LEADER:.*]] = "llvm.intr.cttz"(%[[VOTES]])
// CHECK: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.icmp "sge"
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.cond_br %[[ELECTED]]
// CHECK: %[[OWN:.*]] = llvm.atomicrmw uinc_wrap
// CHECK: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[LEADER]]
// CHECK: griddepcontrol
sm.kernel @clips(%x: !tile.global<[M] x bf16>, %n: index) grid(m in M) warps(8) persistent {
  %M = tile.size M
  %first = sm.program_id
  %s = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
  sm.role "load" warps(4) elected {
    %end = scf.while (%program = %first) : (index) -> index {
      %more = arith.cmpi slt, %program, %M : index
      scf.condition(%more) %program : index
    } do {
    ^bb0(%program: index):
      sm.clip %s axis 0 from %n : !sm.smem<64x64xbf16, swizzle = 128>
      sm.clip %s axis 1 from %n : !sm.smem<64x64xbf16, swizzle = 128>
      %next = sm.next_program of %M
      scf.yield %next : index
    }
  }
  sm.role "math" warps(4) {
  }
}

// A column of a tensor has no pieces: elements, those beyond the limit zero. Of 4 bytes, they are
// copied past the registers, of 2 they are not.
// CHECK-LABEL: llvm.func @unaligned
// CHECK: "cp.async.ca.shared.global [$0], [$1], 4, $2;"
// CHECK: cp.async.wait_all
// CHECK-LABEL: llvm.func @narrow
// CHECK-NOT: cp.async
// CHECK: llvm.inline_asm {{.*}}"@$2 ld.global.b16 $0, [$1];"
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr<3>
sm.kernel @unaligned(%x: !tile.global<[M, K] x f32>, %y: !tile.global<[M] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %a = sm.fetch %x[%i, %i] dims [0] limits(%M) : !tile.global<[M, K] x f32>, index, index -> !sm.smem<128xf32>
  sm.copy.store %a to %y[%i] dims [0] limits(%M) : !sm.smem<128xf32>, !tile.global<[M] x f32, out>, index
}

sm.kernel @narrow(%x: !tile.global<[M, K] x bf16>, %y: !tile.global<[M] x bf16, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %a = sm.fetch %x[%i, %i] dims [0] limits(%M) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<128xbf16>
  sm.copy.store %a to %y[%i] dims [0] limits(%M) : !sm.smem<128xbf16>, !tile.global<[M] x bf16, out>, index
}

#dot = #sm.layout<"16x16 = register[2*(8,0)] lane[16*(0,1) 2*(1,0)] warp[4*(2,0)]">

// One load for each row and column of a thread and step.
// CHECK-LABEL: llvm.func @dots
// CHECK-COUNT-12: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK: llvm.store
sm.kernel @dots(%x: !tile.global<[M, K] x f32>, %y: !tile.global<[M, M] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #dot>
  %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f32>, index, index -> !sm.smem<16x20xf32>
  %p = sm.dot %a, %a, %zero transpose_b : !sm.smem<16x20xf32>, !sm.smem<16x20xf32>, tensor<16x16xf32, #dot>
  %s = sm.smem.store %p : tensor<16x16xf32, #dot> -> !sm.smem<16x16xf32>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %M) : !sm.smem<16x16xf32>, !tile.global<[M, M] x f32, out>, index, index
}

// 8-bit floats are widened as they are loaded.
// CHECK-LABEL: llvm.func @dots8
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i8
// CHECK: cvt.rn.f16x2.e4m3x2
// CHECK: llvm.fpext {{.*}} : f16 to f32
// CHECK: cvt.rn.f16x2.e5m2x2
// CHECK: llvm.intr.fma{{.*}} : (f32, f32, f32) -> f32
sm.kernel @dots8(%x: !tile.global<[M, K] x f8E4M3FN>, %z: !tile.global<[M, K] x f8E5M2>, %y: !tile.global<[M, M] x f32, out>, %i: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #dot>
  %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f8E4M3FN>, index, index -> !sm.smem<16x8xf8E4M3FN>
  %b = sm.fetch %z[%i, %c0] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f8E5M2>, index, index -> !sm.smem<16x8xf8E5M2>
  %p = sm.dot %a, %b, %zero transpose_b : !sm.smem<16x8xf8E4M3FN>, !sm.smem<16x8xf8E5M2>, tensor<16x16xf32, #dot>
  %s = sm.smem.store %p : tensor<16x16xf32, #dot> -> !sm.smem<16x16xf32>
  sm.copy.store %s to %y[%i, %i] dims [0, 1] limits(%M, %M) : !sm.smem<16x16xf32>, !tile.global<[M, M] x f32, out>, index, index
}

#narrow = #sm.layout<"64 = lane[32*(1)] warp[2*(32) 2*(0)]">
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// Two threads add to each of 64 counters, and positions past the end add nothing.
// CHECK-LABEL: llvm.func @counts
// CHECK-COUNT-2: red.relaxed.cta.shared.add.u32
// CHECK: llvm.return
sm.kernel @counts(%y: !tile.global<[64] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0> : tensor<64xi32, #narrow>
  %mask = arith.constant dense<63> : tensor<128xi32, #line>
  %t = sm.smem.store %zeros : tensor<64xi32, #narrow> -> !sm.smem<64xi32>
  %i = sm.indices %c0 : tensor<128xi32, #line>
  %p = arith.andi %i, %mask : tensor<128xi32, #line>
  sm.smem.atomic add %i to %t[%p] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #line>
  sm.smem.atomic add %i to %t[%i] : tensor<128xi32, #line>, !sm.smem<64xi32>, tensor<128xi32, #line>
  %r = sm.smem.load %t : !sm.smem<64xi32> -> tensor<64xi32, #narrow>
  sm.store %r to %y[%c0] dims [0] limits(%c64) : tensor<64xi32, #narrow>, !tile.global<[64] x i32, out>, index
}
