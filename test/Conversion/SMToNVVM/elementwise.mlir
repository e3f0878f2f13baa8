// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx | FileCheck %s

// Which instructions arithmetic on tiles becomes.

#two = #sm.layout<"256 = register[2*(1)] lane[32*(2)] warp[4*(64)]">
#one = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// Two 16-bit floats are one value, and one instruction where there is one.
// CHECK-LABEL: .entry packed(
sm.kernel @packed(%x: !tile.global<[256] x bf16>, %y: !tile.global<[256] x bf16, out>, %f: !tile.global<[256] x f32>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %t = sm.load %x[%c0] dims [0] limits(%c256) in_bounds [true] : !tile.global<[256] x bf16>, index -> tensor<256xbf16, #two>
  %u = sm.load %f[%c0] dims [0] limits(%c256) in_bounds [true] : !tile.global<[256] x f32>, index -> tensor<256xf32, #two>
  // CHECK-DAG: add.rn.bf16x2
  %a = arith.addf %t, %t : tensor<256xbf16, #two>
  // CHECK-DAG: max.NaN.bf16x2
  %b = arith.maximumf %a, %t : tensor<256xbf16, #two>
  // CHECK-DAG: fma.rn.bf16x2
  %c = math.fma %a, %b, %t : tensor<256xbf16, #two>
  // CHECK-DAG: cvt.rn.bf16x2.f32
  %r = arith.truncf %u : tensor<256xf32, #two> to tensor<256xbf16, #two>
  // CHECK-DAG: sub.rn.bf16x2
  %e = arith.subf %c, %r : tensor<256xbf16, #two>
  // Division goes through f32.
  // CHECK-DAG: div.full.f32
  %d = arith.divf %e, %t : tensor<256xbf16, #two>
  // CHECK: st.global.b32
  sm.store %d to %y[%c0] dims [0] limits(%c256) in_bounds [true] : tensor<256xbf16, #two>, !tile.global<[256] x bf16, out>, index
}

// CHECK-LABEL: .entry functions(
sm.kernel @functions(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>, %s: f32) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f32>, index -> tensor<128xf32, #one>
  // CHECK-DAG: lg2.approx.f32
  %l2 = math.log2 %t : tensor<128xf32, #one>
  %ln = math.log %l2 : tensor<128xf32, #one>
  // CHECK-DAG: sqrt.approx.f32
  %q = math.sqrt %ln : tensor<128xf32, #one>
  // CHECK-DAG: rsqrt.approx.f32
  %rq = math.rsqrt %q : tensor<128xf32, #one>
  // CHECK-DAG: cvt.rmi.f32.f32
  %fl = math.floor %rq : tensor<128xf32, #one>
  // CHECK-DAG: cvt.rpi.f32.f32
  %fs = arith.addf %fl, %t : tensor<128xf32, #one>
  %ce = math.ceil %fs : tensor<128xf32, #one>
  // exp scales by a power of two, tanh and erf choose between two series.
  // CHECK-DAG: cvt.rni.f32.f32
  // CHECK-DAG: ex2.approx.ftz.f32
  %e = math.exp %ce : tensor<128xf32, #one>
  // CHECK-DAG: rcp.approx.ftz.f32
  %th = math.tanh %e : tensor<128xf32, #one>
  %er = math.erf %th : tensor<128xf32, #one>
  %e2 = math.exp2 %er : tensor<128xf32, #one>
  %ab = math.absf %e2 : tensor<128xf32, #one>
  // A product and a sum are not contracted unless the program says so.
  // CHECK-DAG: mul.rn.f32
  // CHECK-DAG: add.rn.f32
  %m = arith.mulf %ab, %t : tensor<128xf32, #one>
  %a = arith.addf %m, %t : tensor<128xf32, #one>
  // A scalar of math, uniform.
  %se = math.exp2 %s : f32
  %sp = tensor.splat %se : tensor<128xf32, #one>
  %n = arith.maxnumf %a, %sp : tensor<128xf32, #one>
  sm.store %n to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// The reciprocal of a sigmoid needs no scaling; one of any number does.

// CHECK-LABEL: .entry sigmoid(
// CHECK: rcp.approx.ftz.f32
// CHECK: div.full.f32
// CHECK: div.full.f32
// CHECK-NOT: .approx
// CHECK: ret;
sm.kernel @sigmoid(%x: !tile.global<[128] x f32>, %y: !tile.global<[128] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %1 = arith.constant dense<1.0> : tensor<128xf32, #one>
  %half = arith.constant dense<0.5> : tensor<128xf32, #one>
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x f32>, index -> tensor<128xf32, #one>
  %e = math.exp2 %t : tensor<128xf32, #one>
  %d = arith.addf %e, %1 : tensor<128xf32, #one>
  %s = arith.divf %1, %d : tensor<128xf32, #one>
  // May be small.
  %d2 = arith.addf %half, %s : tensor<128xf32, #one>
  %s2 = arith.divf %1, %d2 : tensor<128xf32, #one>
  // No reciprocal.
  %d3 = arith.addf %e, %1 : tensor<128xf32, #one>
  %s3 = arith.divf %s2, %d3 : tensor<128xf32, #one>
  sm.store %s3 to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf32, #one>, !tile.global<[128] x f32, out>, index
}

// CHECK-LABEL: .entry integers(
sm.kernel @integers(%x: !tile.global<[128] x i32>, %y: !tile.global<[128] x i8, out>, %z: !tile.global<[128] x i1, out>, %f: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %seven = arith.constant dense<7> : tensor<128xi32, #one>
  %t = sm.load %x[%c0] dims [0] limits(%c128) in_bounds [true] : !tile.global<[128] x i32>, index -> tensor<128xi32, #one>
  %i = sm.indices %c0 : tensor<128xi32, #one>
  // CHECK-DAG: abs.s32
  %ab = math.absi %t : tensor<128xi32, #one>
  %d = arith.floordivsi %ab, %seven : tensor<128xi32, #one>
  // CHECK-DAG: min.s32
  %m = arith.minsi %d, %i : tensor<128xi32, #one>
  %c = arith.cmpi slt, %m, %t : tensor<128xi32, #one>
  %s = arith.select %c, %m, %t : tensor<128xi1, #one>, tensor<128xi32, #one>
  %w = arith.select %f, %s, %t : tensor<128xi32, #one>
  %n = arith.trunci %w : tensor<128xi32, #one> to tensor<128xi8, #one>
  // CHECK-DAG: st.global.u8
  sm.store %n to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi8, #one>, !tile.global<[128] x i8, out>, index
  sm.store %c to %z[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi1, #one>, !tile.global<[128] x i1, out>, index
}

// CHECK-LABEL: .entry absolute_index(
sm.kernel @absolute_index(%n: index, %y: !tile.global<[128] x i32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  // CHECK: abs.s32
  %a = math.absi %n : index
  %i = arith.index_cast %a : index to i32
  %t = tensor.splat %i : tensor<128xi32, #one>
  sm.store %t to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xi32, #one>, !tile.global<[128] x i32, out>, index
}

// Floats of 8 bits are bytes; arithmetic on them is done in f32. What overflows is no number.
// CHECK-LABEL: .entry bytes(
sm.kernel @bytes(%x: !tile.global<[128] x f8E4M3FN>, %y: !tile.global<[128] x f8E5M2, out>, %s: f8E4M3FN) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %two = arith.constant dense<2.0> : tensor<128xf8E4M3FN, #one>
  %t = sm.load %x[%c0] dims [0] limits(%c128) fill(1.0 : f8E4M3FN) : !tile.global<[128] x f8E4M3FN>, index -> tensor<128xf8E4M3FN, #one>
  // CHECK-DAG: cvt.rn.f16x2.e4m3x2
  // CHECK-DAG: cvt.rn.satfinite.e4m3x2.f32
  %a = arith.addf %t, %two : tensor<128xf8E4M3FN, #one>
  %sp = tensor.splat %s : tensor<128xf8E4M3FN, #one>
  %b = arith.mulf %a, %sp : tensor<128xf8E4M3FN, #one>
  %w = arith.extf %b : tensor<128xf8E4M3FN, #one> to tensor<128xf32, #one>
  // CHECK: cvt.rn.satfinite.e5m2x2.f32
  // CHECK: setp.{{.*}}f32
  %n = arith.truncf %w : tensor<128xf32, #one> to tensor<128xf8E5M2, #one>
  sm.store %n to %y[%c0] dims [0] limits(%c128) in_bounds [true] : tensor<128xf8E5M2, #one>, !tile.global<[128] x f8E5M2, out>, index
}
