// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx | FileCheck %s

#blocked = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
#acc = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#columns = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">

// Through shared memory in rows of 64 + 8 elements, vectors where registers have them; a barrier
// before the writes and one after.
// CHECK-LABEL: .entry convert(
// CHECK: bar.sync 0;
// CHECK-COUNT-4: st.shared.v4.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32 %{{.*}}, [%[[BASE:r[0-9]+]]];
// CHECK: ld.shared.b32 %{{.*}}, [%[[BASE]]+1152];
// CHECK: ld.shared.b32 %{{.*}}, [%[[BASE]]+16];
// CHECK-NOT: bar.sync
sm.kernel @convert(%x: !tile.global<[64, 64] x bf16>, %y: !tile.global<[64, 64] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) : !tile.global<[64, 64] x bf16>, index, index -> tensor<64x64xbf16, #blocked>
  %a = sm.convert %t {sm.scratch_address = 1024 : i64} : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #acc>
  sm.store %a to %y[%c0, %c0] dims [0, 1] limits(%c64, %c64) : tensor<64x64xbf16, #acc>, !tile.global<[64, 64] x bf16, out>, index, index
}

// Products that may be rounded with their sum (fastmath<contract>) meet it in chains of eight: of the 32 columns of a
// row that a thread has, four begin chains.
// CHECK-LABEL: .entry squares(
// CHECK-COUNT-4: mul.f32
// CHECK-COUNT-28: fma.rn.f32
// CHECK-COUNT-3: add.rn.f32
// CHECK-NOT: {{(mul|fma.rn|add.rn).f32}}
#rows = #sm.layout<"128x32 = register[32*(0,1)] lane[32*(1,0)] warp[4*(32,0)]">
#sums = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @squares(%x: !tile.global<[128, 32] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c128, %c32) : !tile.global<[128, 32] x f32>, index, index -> tensor<128x32xf32, #rows>
  %s = arith.mulf %t, %t fastmath<contract> : tensor<128x32xf32, #rows>
  %r = sm.reduce sum %s axis 1 : tensor<128x32xf32, #rows> -> tensor<128xf32, #sums>
  sm.store %r to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #sums>, !tile.global<[128] x f32, out>, index
}

// Registers change their numbers and nothing else happens.
// CHECK-LABEL: .entry renamed(
// CHECK-NOT: shared
#front = #sm.layout<"4x32 = register[2*(1,0) 2*(2,0)] lane[32*(0,1)] warp[4*(0,0)]">
#back = #sm.layout<"4x32 = register[2*(2,0) 2*(1,0)] lane[32*(0,1)] warp[4*(0,0)]">
sm.kernel @renamed(%x: !tile.global<[4, 32] x f32>, %y: !tile.global<[4, 32] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c4, %c32) : !tile.global<[4, 32] x f32>, index, index -> tensor<4x32xf32, #front>
  %a = sm.convert %t : tensor<4x32xf32, #front> -> tensor<4x32xf32, #back>
  sm.store %a to %y[%c0, %c0] dims [0, 1] limits(%c4, %c32) : tensor<4x32xf32, #back>, !tile.global<[4, 32] x f32, out>, index, index
}

// 64 KB go in rounds of at most 32 KB, what lies in the window at a time.
// CHECK-LABEL: .entry rounds(
// CHECK: bar.sync 0;
// CHECK: @%p{{[0-9]+}} st.shared.v4.b32
// CHECK: bar.sync 0;
// CHECK: @%p{{[0-9]+}} ld.shared.v2.b32
// CHECK: bar.sync 0;
// CHECK: @%p{{[0-9]+}} st.shared.v4.b32
// CHECK: bar.sync 0;
// CHECK: @%p{{[0-9]+}} ld.shared.v2.b32
#large = #sm.layout<"128x128 = register[4*(0,1) 32*(4,0)] lane[32*(0,4)] warp[4*(1,0)]">
#largeAcc = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 16*(0,8) 2*(64,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @rounds(%x: !tile.global<[128, 128] x f32>, %y: !tile.global<[128, 128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c128, %c128) : !tile.global<[128, 128] x f32>, index, index -> tensor<128x128xf32, #large>
  %a = sm.convert %t {sm.scratch_address = 0 : i64} : tensor<128x128xf32, #large> -> tensor<128x128xf32, #largeAcc>
  sm.store %a to %y[%c0, %c0] dims [0, 1] limits(%c128, %c128) : tensor<128x128xf32, #largeAcc>, !tile.global<[128, 128] x f32, out>, index, index
}

// Along rows: 15 additions in the thread for each of two rows, then two shuffles for each.
// CHECK-LABEL: .entry rows(
// CHECK-NOT: shared
// CHECK: shfl.sync.bfly.b32 %{{.*}}, 1, 31, -1;
// CHECK: shfl.sync.bfly.b32 %{{.*}}, 1, 31, -1;
// CHECK: shfl.sync.bfly.b32 %{{.*}}, 2, 31, -1;
// CHECK: shfl.sync.bfly.b32 %{{.*}}, 2, 31, -1;
// CHECK-NOT: shfl
sm.kernel @rows(%x: !tile.global<[64, 64] x f32>, %y: !tile.global<[64] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) : !tile.global<[64, 64] x f32>, index, index -> tensor<64x64xf32, #acc>
  %r = sm.reduce sum %t axis 1 : tensor<64x64xf32, #acc> -> tensor<64xf32, #row>
  sm.store %r to %y[%c0] dims [0] limits(%c64) : tensor<64xf32, #row>, !tile.global<[64] x f32, out>, index
}

// Along columns: three shuffles over the lanes, then the parts of four warps in one access.
// CHECK-LABEL: .entry columns(
// CHECK-COUNT-16: shfl.sync.bfly.b32 %{{.*}}, 4, 31, -1;
// CHECK-COUNT-16: shfl.sync.bfly.b32 %{{.*}}, 8, 31, -1;
// CHECK-COUNT-16: shfl.sync.bfly.b32 %{{.*}}, 16, 31, -1;
// CHECK: bar.sync 0;
// CHECK-COUNT-16: st.shared.b32
// CHECK: bar.sync 0;
// CHECK-COUNT-16: ld.shared.v4.b32
// CHECK: max.NaN.f32
sm.kernel @columns(%x: !tile.global<[64, 64] x bf16>, %y: !tile.global<[64] x bf16, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) : !tile.global<[64, 64] x bf16>, index, index -> tensor<64x64xbf16, #acc>
  %r = sm.reduce max %t axis 0 {sm.scratch_address = 0 : i64} : tensor<64x64xbf16, #acc> -> tensor<64xbf16, #columns>
  sm.store %r to %y[%c0] dims [0] limits(%c64) : tensor<64xbf16, #columns>, !tile.global<[64] x bf16, out>, index
}

// With keep, what different lanes hold is not combined.
// CHECK-LABEL: .entry kept(
// CHECK-NOT: shfl.sync.bfly
#keptRow = #sm.layout<"64x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @kept(%x: !tile.global<[64, 64] x f32>, %y: !tile.global<[64, 8] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) : !tile.global<[64, 64] x f32>, index, index -> tensor<64x64xf32, #acc>
  %r = sm.reduce sum %t axis 1 keep 8 : tensor<64x64xf32, #acc> -> tensor<64x8xf32, #keptRow>
  sm.store %r to %y[%c0, %c0] dims [0, 1] limits(%c64, %c8) : tensor<64x8xf32, #keptRow>, !tile.global<[64, 8] x f32, out>, index, index
}

// Elements of 64 bits are shuffled as two words. The result is one scalar.
// CHECK-LABEL: .entry long(
// CHECK-COUNT-10: shfl.sync.bfly.b32
// CHECK-NOT: shfl
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#scalar = #sm.layout<"scalar = lane[32*()] warp[4*()]">
sm.kernel @long(%x: !tile.global<[128] x i64>, %y: !tile.global<[1] x i64, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x i64>, index -> tensor<128xi64, #line>
  %r = sm.reduce min %t axis 0 {sm.scratch_address = 0 : i64} : tensor<128xi64, #line> -> tensor<i64, #scalar>
  %s = tensor.extract %r[] : tensor<i64, #scalar>
  sm.store %s to %y[%c0] dims [] : i64, !tile.global<[1] x i64, out>, index
}

// A scan goes from digit to digit of the position: 5 steps and one more among 32 lanes, with nothing
// in memory; then what the three warps before have, from their last lanes. The first shuffle makes the
// number of the warp uniform.
// CHECK-LABEL: .entry scan(
// CHECK-COUNT-7: shfl.sync.idx
// CHECK-NOT: shfl.sync
// CHECK: bar.sync 0;
// CHECK: st.shared.b32
// CHECK-NOT: st.shared
// CHECK: bar.sync 0;
// CHECK-COUNT-3: ld.shared.b32
// CHECK-NOT: ld.shared
sm.kernel @scan(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
  %s = sm.scan sum %t axis 0 reverse {sm.scratch_address = 0 : i64} : tensor<128xf32, #line>
  sm.store %s to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #line>, !tile.global<[128] x f32, out>, index
}

// A reduction by a region keeps the order: of two lanes, the upper one takes the element of the lower one as its left
// operand. Two sources move in 5 steps each, then through memory one after the other.
// CHECK-LABEL: .entry reduce_with(
// CHECK-COUNT-2: shfl.sync.bfly
// CHECK: selp.f32
// CHECK: fma.rn.f32
// CHECK-COUNT-8: shfl.sync.bfly
// CHECK-NOT: shfl.sync.bfly
// CHECK: bar.sync 0;
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK-COUNT-4: ld.shared.b32
// CHECK: bar.sync 0;
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK-COUNT-4: ld.shared.b32
// CHECK-NOT: ld.shared
sm.kernel @reduce_with(%x: !tile.global<[128] x f32>, %y: !tile.global<[1] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
  %r:2 = sm.reduce_with %t, %t axis 0 {sm.scratch_address = 0 : i64} : (tensor<128xf32, #line>, tensor<128xf32, #line>) -> (tensor<f32, #scalar>, tensor<f32, #scalar>) {
  ^bb0(%a: f32, %h: f32, %b: f32, %k: f32):
    %ab = arith.mulf %a, %b : f32
    %next = math.fma %b, %h, %k : f32
    tile.yield %ab, %next : f32, f32
  }
  %s = tensor.extract %r#1[] : tensor<f32, #scalar>
  sm.store %s to %y[%c0] dims [] : f32, !tile.global<[1] x f32, out>, index
}

// A scan by a region has no neutral element: threads without an earlier block keep their own elements.
// CHECK-LABEL: .entry scan_with(
// CHECK-NOT: shfl.sync.bfly
// CHECK: shfl.sync.idx
// CHECK: selp.f32
// CHECK: ret;
sm.kernel @scan_with(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) : !tile.global<[128] x f32>, index -> tensor<128xf32, #line>
  %r = sm.scan_with %t axis 0 {sm.scratch_address = 0 : i64} : (tensor<128xf32, #line>) -> tensor<128xf32, #line> {
  ^bb0(%a: f32, %b: f32):
    %ab = arith.mulf %a, %b : f32
    tile.yield %ab : f32
  }
  sm.store %r to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #line>, !tile.global<[128] x f32, out>, index
}

// Digits of registers, then of lanes, then of registers again: one thread's elements are summed up, and the
// totals of two blocks of 32 lanes are moved, in two words each.
// CHECK-LABEL: .entry scan_in_registers(
// CHECK-NOT: shared
// CHECK: add.s64
// CHECK-COUNT-26: shfl.sync.idx
// CHECK-NOT: shfl.sync
// CHECK: ret;
#mixed = #sm.layout<"256 = register[4*(1) 2*(128)] lane[32*(4)] warp[4*(0)]">
sm.kernel @scan_in_registers(%x: !tile.global<[256] x i64>, %y: !tile.global<[256] x i64, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %t = sm.load %x[%c0] dims [0] limits(%c256) : !tile.global<[256] x i64>, index -> tensor<256xi64, #mixed>
  %s = sm.scan sum %t axis 0 : tensor<256xi64, #mixed>
  sm.store %s to %y[%c0] dims [0] limits(%c256) : tensor<256xi64, #mixed>, !tile.global<[256] x i64, out>, index
}

// A lane whose bit moves along both axes: the general way, which doubles the distance in each of 5 steps.
// CHECK-LABEL: .entry general_scan(
// CHECK-COUNT-10: bar.sync 0;
// CHECK-NOT: bar.sync
// CHECK: ret;
#skewedScan = #sm.layout<"2x32 = register[2*(1,0)] lane[2*(1,1) 16*(0,2)] warp[4*(0,0)]">
sm.kernel @general_scan(%x: !tile.global<[2, 32] x f32>, %y: !tile.global<[2, 32] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c2, %c32) : !tile.global<[2, 32] x f32>, index, index -> tensor<2x32xf32, #skewedScan>
  %s = sm.scan sum %t axis 1 {sm.scratch_address = 0 : i64} : tensor<2x32xf32, #skewedScan>
  sm.store %s to %y[%c0, %c0] dims [0, 1] limits(%c2, %c32) : tensor<2x32xf32, #skewedScan>, !tile.global<[2, 32] x f32, out>, index, index
}

// Warps in another number than a power of two, and a lane whose bit moves along both axes: the
// general way, element by element.
// CHECK-LABEL: .entry general(
// CHECK: bar.sync 0;
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32
#skewed = #sm.layout<"2x32 = register[2*(1,0)] lane[2*(1,1) 16*(0,2)] warp[4*(0,0)]">
#skewedRow = #sm.layout<"32 = lane[32*(1)] warp[4*(0)]">
sm.kernel @general(%x: !tile.global<[2, 32] x f32>, %y: !tile.global<[32] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %t = sm.load %x[%c0, %c0] dims [0, 1] limits(%c2, %c32) : !tile.global<[2, 32] x f32>, index, index -> tensor<2x32xf32, #skewed>
  %r = sm.reduce sum %t axis 0 {sm.scratch_address = 0 : i64} : tensor<2x32xf32, #skewed> -> tensor<32xf32, #skewedRow>
  sm.store %r to %y[%c0] dims [0] limits(%c32) : tensor<32xf32, #skewedRow>, !tile.global<[32] x f32, out>, index
}

// The partner at distance 8 is in the lane with bit 1 inverted, and reversed rows are in other warps.
// CHECK-LABEL: .entry rearrange(
// CHECK-COUNT-8: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
// CHECK: bar.sync 0;
// CHECK-COUNT-2: st.shared.v4.b32
// CHECK: bar.sync 0;
// CHECK-COUNT-8: ld.shared.b32
// CHECK-NOT: bar.sync
#thousand = #sm.layout<"1024 = register[4*(1) 2*(512)] lane[32*(4)] warp[4*(128)]">
sm.kernel @rearrange(%x: !tile.global<[1024] x f32>, %y: !tile.global<[1024] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %t = sm.load %x[%c0] dims [0] limits(%c1024) : !tile.global<[1024] x f32>, index -> tensor<1024xf32, #thousand>
  %p = sm.rearrange %t by [1] xor 8 : (tensor<1024xf32, #thousand>) -> tensor<1024xf32, #thousand>
  %r = sm.rearrange %p from 1023 by [-1] {sm.scratch_address = 1024 : i64} : (tensor<1024xf32, #thousand>) -> tensor<1024xf32, #thousand>
  sm.store %r to %y[%c0] dims [0] limits(%c1024) : tensor<1024xf32, #thousand>, !tile.global<[1024] x f32, out>, index
}
