// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx | FileCheck %s

#blocked = #sm.layout<"16x64 = register[8*(0,1)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
#warp = #sm.layout<"32 = lane[32*(1)] warp[4*(0)]">
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#copies = #sm.layout<"16 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(0)]">
#quads = #sm.layout<"512 = register[4*(1)] lane[32*(4)] warp[4*(128)]">

// 16 bytes at a time if strides, starts and limits of the launch allow it. Else vectors that are
// whole and aligned are loaded so, others are shifted out of two chunks, and those at the ends of
// rows go one element at a time; each under the predicate of its row and column. What is stored is
// shifted between neighbours, of which eight hold a row.
// CHECK-LABEL: .entry masked(
// CHECK: or.b64
// CHECK-DAG: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-DAG: @%p{{[0-9]+}} ld.global.b16
// CHECK-NOT: ld.global
// CHECK-DAG: setp.ne.b32 %{{p[0-9]+}}, %{{r[0-9]+}}, 7
// CHECK-DAG: shfl.sync.down.b32
// CHECK-DAG: prmt.b32.f4e
// CHECK-DAG: @%p{{[0-9]+}} st.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} st.global.v4.b32
// CHECK-DAG: @%p{{[0-9]+}} st.global.b16
sm.kernel @masked(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, N] x bf16, out>, %i: index, %j: index) grid() warps(4) {
  %m = tile.size M
  %n = tile.size N
  %t = sm.load %x[%i, %j] dims [0, 1] limits(%m, %n) : !tile.global<[M, N] x bf16>, index, index -> tensor<16x64xbf16, #blocked>
  sm.store %t to %y[%i, %j] dims [0, 1] limits(%m, %n) : tensor<16x64xbf16, #blocked>, !tile.global<[M, N] x bf16, out>, index, index
}

// No predicate where all is known to be valid. Memory that the kernel writes is not read through
// the cache of constants.
// CHECK-LABEL: .entry in_bounds(
// CHECK-NOT: @{{.*}}ld.global
// CHECK: ld.global.b32
// CHECK-NOT: @{{.*}}st.global
// CHECK: st.global.b32
// EXECUTE: in_bounds M=128
sm.kernel @in_bounds(%x: !tile.global<[M] x f32, inout>, %i: index) grid() warps(4) {
  %m = tile.size M
  %t = sm.load %x[%i] dims [0] limits(%m) in_bounds [true] : !tile.global<[M] x f32, inout>, index -> tensor<128xf32, #line>
  sm.store %t to %x[%i] dims [0] limits(%m) in_bounds [true] : tensor<128xf32, #line>, !tile.global<[M] x f32, inout>, index
}

// Of the lanes and warps that hold an element, one stores it.
// CHECK-LABEL: .entry once(
// CHECK: and.b32 %{{.*}}, 3
// CHECK: setp.eq.b32
// CHECK: and.pred
// CHECK: @%p{{[0-9]+}} st.global.b32
// CHECK: @%p{{[0-9]+}} st.global.b32
// CHECK-NOT: st.global
sm.kernel @once(%x: !tile.global<[M] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %m = tile.size M
  %t = arith.constant dense<1.0> : tensor<16xf32, #copies>
  sm.store %t to %x[%c0] dims [0] limits(%m) : tensor<16xf32, #copies>, !tile.global<[M] x f32, out>, index
}

// What is not loaded has the fill value, here minus infinity; a mask forbids all.
// CHECK-LABEL: .entry fill(
// CHECK: mov.b32 %[[VALUE:r[0-9]+]], {{-8388608|0fFF800000}};
// CHECK: @%p{{[0-9]+}} ld.global.b32 %[[VALUE]]
sm.kernel @fill(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %i: index, %b: i1) grid() warps(4) {
  %m = tile.size M
  %t = sm.load %x[%i] dims [0] limits(%m) mask(%b) fill(0xFF800000 : f32) : !tile.global<[M] x f32>, index -> tensor<128xf32, #line>
  sm.store %t to %y[%i] dims [0] limits(%m) : tensor<128xf32, #line>, !tile.global<[M] x f32, out>, index
}

// Rows by a tile of positions: each thread has that of its row.
// CHECK-LABEL: .entry gather(
// CHECK: ld.global.b32 %[[POSITION:r[0-9]+]]
// CHECK: {{cvt.s64.s32|mul.wide.s32}} %{{.*}}, %[[POSITION]]
sm.kernel @gather(%x: !tile.global<[M, 8] x f32>, %p: !tile.global<[128] x i32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  %i = sm.load %p[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x i32>, index -> tensor<128xi32, #line>
  %t = sm.load %x[%i, %c0] dims [0] limits(%m) : !tile.global<[M, 8] x f32>, tensor<128xi32, #line>, index -> tensor<128xf32, #line>
  sm.store %t to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #line>, !tile.global<[128] x f32, out>, index
}

// Vectors of additions; 16-bit floats in pairs.
// CHECK-LABEL: .entry atomics(
// CHECK-DAG: red.relaxed.gpu.global.add.v4.f32
// CHECK-DAG: red.relaxed.gpu.global.add.f32
// CHECK-DAG: red.relaxed.gpu.global.add.noftz.v2.bf16x2
// CHECK-DAG: red.relaxed.gpu.global.add.noftz.bf16
// CHECK-DAG: red.relaxed.gpu.global.add.noftz.v2.f16x2
// CHECK-DAG: red.relaxed.gpu.global.add.u32
// CHECK-DAG: red.relaxed.gpu.global.add.u64
sm.kernel @atomics(%a: !tile.global<[512] x f32, inout>, %b: !tile.global<[512] x bf16, inout>, %c: !tile.global<[512] x f16, inout>, %d: !tile.global<[128] x i32, inout>, %e: !tile.global<[128] x i64, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c128 = arith.constant 128 : index
  %f = arith.constant dense<1.0> : tensor<512xf32, #quads>
  %h = arith.constant dense<1.0> : tensor<512xbf16, #quads>
  %g = arith.constant dense<1.0> : tensor<512xf16, #quads>
  %i = arith.constant dense<1> : tensor<128xi32, #line>
  %j = arith.constant dense<1> : tensor<128xi64, #line>
  sm.atomic add %f to %a[%c0] dims [0] limits(%c512) : tensor<512xf32, #quads>, !tile.global<[512] x f32, inout>, index
  sm.atomic add %h to %b[%c0] dims [0] limits(%c512) : tensor<512xbf16, #quads>, !tile.global<[512] x bf16, inout>, index
  sm.atomic add %g to %c[%c0] dims [0] limits(%c512) : tensor<512xf16, #quads>, !tile.global<[512] x f16, inout>, index
  sm.atomic add %i to %d[%c0] dims [0] limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index
  sm.atomic add %j to %e[%c0] dims [0] limits(%c128) : tensor<128xi64, #line>, !tile.global<[128] x i64, inout>, index
}

// Other operations, one element at a time, and the elements before. The 32 elements of `one` are each held by four warps:
// the first replaces them, and the others read them in shared memory.
// CHECK-LABEL: .entry replacements(
// CHECK-DAG: red.relaxed.gpu.global.max.s32
// CHECK-DAG: red.relaxed.gpu.global.min.u64
// CHECK-DAG: red.relaxed.gpu.global.xor.b32
// CHECK-DAG: atom.relaxed.gpu.global.exch.b32
// CHECK: @%p{{[0-9]+}} atom.relaxed.gpu.global.cas.b32 %[[OLD:r[0-9]+]], [%rd{{[0-9]+}}], %{{r[0-9]+}}, %{{r[0-9]+}};
// CHECK: bar.sync
// CHECK: @%p{{[0-9]+}} st.shared.b32 [{{.*}}], %[[OLD]]
// CHECK: bar.sync
// CHECK: ld.shared.b32
sm.kernel @replacements(%a: !tile.global<[128] x f32, inout>, %d: !tile.global<[128] x i32, inout>, %e: !tile.global<[128] x i64, inout>, %o: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %f = arith.constant dense<1.0> : tensor<128xf32, #line>
  %i = arith.constant dense<1> : tensor<128xi32, #line>
  %j = arith.constant dense<1> : tensor<128xi64, #line>
  %one = arith.constant dense<1> : tensor<32xi32, #warp>
  sm.atomic max %i to %d[%c0] dims [0] limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index
  sm.atomic umin %j to %e[%c0] dims [0] limits(%c128) : tensor<128xi64, #line>, !tile.global<[128] x i64, inout>, index
  sm.atomic xor %i to %d[%c0] dims [0] limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index
  sm.atomic exchange %f to %a[%c0] dims [0] limits(%c128) : tensor<128xf32, #line>, !tile.global<[128] x f32, inout>, index
  %old = sm.atomic cas %one if %one : tensor<32xi32, #warp> to %d[%c0] dims [0] limits(%c128) : tensor<32xi32, #warp>, !tile.global<[128] x i32, inout>, index -> tensor<32xi32, #warp>
  %all = sm.convert %old share {sm.scratch_address = 0 : i64} : tensor<32xi32, #warp> -> tensor<32xi32, #warp>
  sm.store %all to %o[%c0] dims [0] limits(%c128) : tensor<32xi32, #warp>, !tile.global<[128] x i32, out>, index
}

// CHECK-LABEL: .entry orders(
// CHECK: red.release.gpu.global.add.v4.f32
// CHECK: red.release.gpu.global.max.s32
// CHECK: atom.acquire.gpu.global.cas.b32
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK: atom.release.gpu.global.exch.b32
sm.kernel @orders(%a: !tile.global<[512] x f32, inout>, %d: !tile.global<[128] x i32, inout>, %o: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c128 = arith.constant 128 : index
  %f = arith.constant dense<1.0> : tensor<512xf32, #quads>
  %i = arith.constant dense<1> : tensor<128xi32, #line>
  sm.atomic add %f to %a[%c0] dims [0] order release limits(%c512) : tensor<512xf32, #quads>, !tile.global<[512] x f32, inout>, index
  sm.atomic max %i to %d[%c0] dims [0] order release limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index
  %x = sm.atomic cas %i if %i : tensor<128xi32, #line> to %d[%c0] dims [0] order acquire limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index -> tensor<128xi32, #line>
  %y = sm.atomic add %x to %d[%c0] dims [0] order acq_rel limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index -> tensor<128xi32, #line>
  sm.atomic exchange %y to %d[%c0] dims [0] order release limits(%c128) : tensor<128xi32, #line>, !tile.global<[128] x i32, inout>, index
}

// A scalar is loaded by all threads and stored by the first.
// CHECK-LABEL: .entry scalars(
// CHECK: ld.global.b32 %[[S:r[0-9]+]], [%rd{{[0-9]+}}];
// CHECK: @%p{{[0-9]+}} st.global.b32 [%rd{{[0-9]+}}], %[[S]]
sm.kernel @scalars(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>, %i: index) grid() warps(4) {
  %s = sm.load %x[%i] dims [] : !tile.global<[M] x f32>, index -> f32
  sm.store %s to %y[%i] dims [] : f32, !tile.global<[M] x f32, out>, index
}

// Vectors that are known to be aligned stand together, in a branch of a thread that has any: from four of them on,
// ptxas would move each to where it is used.
// CHECK-LABEL: .entry together(
// CHECK: @%p{{[0-9]+}} bra
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
#together = #sm.layout<"16x128 = register[4*(0,1) 4*(4,0)] lane[32*(0,4)] warp[4*(1,0)]">
sm.kernel @together(%x: !tile.global<[M, 128] x f32>, %y: !tile.global<[M, 128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c128) in_bounds [false, true] {sm.aligned} : !tile.global<[M, 128] x f32>, index, index -> tensor<16x128xf32, #together>
  sm.store %t to %y[%c0, %c0] dims [0, 1] limits(%M, %c128) in_bounds [false, true] {sm.aligned} : tensor<16x128xf32, #together>, !tile.global<[M, 128] x f32, out>, index, index
}

// What is computed from them stays out of the branch: ptxas would wait for some before it starts the others.
// CHECK-LABEL: .entry squares(
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT: mul.rn.f32
// CHECK: bra
sm.kernel @squares(%x: !tile.global<[M, 128] x f32>, %y: !tile.global<[M, 128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %M = tile.size M
  %zero = arith.constant dense<0.0> : tensor<16x128xf32, #together>
  %sum = scf.for %i = %c0 to %M step %c16 iter_args(%acc = %zero) -> (tensor<16x128xf32, #together>) {
    %t = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c128) in_bounds [false, true] {sm.aligned} : !tile.global<[M, 128] x f32>, index, index -> tensor<16x128xf32, #together>
    %square = arith.mulf %t, %t : tensor<16x128xf32, #together>
    %more = arith.addf %acc, %square : tensor<16x128xf32, #together>
    scf.yield %more : tensor<16x128xf32, #together>
  }
  sm.store %sum to %y[%c0, %c0] dims [0, 1] limits(%M, %c128) in_bounds [false, true] {sm.aligned} : tensor<16x128xf32, #together>, !tile.global<[M, 128] x f32, out>, index, index
}
