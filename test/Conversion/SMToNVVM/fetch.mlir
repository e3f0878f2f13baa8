// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s --check-prefix=STORE
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s --check-prefix=SHIFT
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx | FileCheck %s --check-prefix=TORN
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// Tiles that the strides or starts of a launch do not let cp.async copy.

// REPORT-COUNT-11: 0 bytes stack, 0 + 0 bytes spilled

// Both chunks of all four pieces of a thread, eight predicated loads. Of a chunk at an end of the
// tensor, the elements inside are loaded one by one, in a branch that others do not take.
// CHECK-LABEL: .entry shifted(
// Where blocks of code lie is the code generator's choice, so each count is taken by itself.
// CHECK-COUNT-8: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-NOT: ld.global.v4
// STORE-LABEL: .entry shifted(
// STORE-COUNT-4: st.shared.v4.b32
// STORE-NOT: st.shared
// STORE-LABEL: .entry two_turns(
// STORE-COUNT-8: st.shared.v4.b32
// STORE-NOT: st.shared
// STORE-LABEL: .entry four_turns(
// STORE-COUNT-4: st.shared.v4.b32
// STORE-NOT: st.shared
// STORE-LABEL: .entry columns(
// STORE-COUNT-2: st.shared.v4.b32
// STORE-NOT: st.shared
// STORE-LABEL: .entry bytes(
// SHIFT-LABEL: .entry shifted(
// SHIFT-COUNT-16: prmt.b32.f4e
// SHIFT-NOT: prmt.b32.f4e
// SHIFT-LABEL: .entry two_turns(
// TORN-LABEL: .entry shifted(
// TORN-COUNT-8: @%p{{[0-9]+}} ld.global.b16
// TORN-NOT: ld.global.b16
// TORN-LABEL: .entry two_turns(
sm.kernel @shifted(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
}

// Two turns stand one after the other, so that ptxas can begin the second early; more are a loop.
// CHECK-LABEL: .entry two_turns(
// CHECK-COUNT-16: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK-LABEL: .entry four_turns(
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
sm.kernel @two_turns(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<128x64xbf16, swizzle = 128>
}
sm.kernel @four_turns(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<256x64xbf16, swizzle = 128>
}

// Twelve pieces to a row: a thread's pieces lie in different columns, each with its own mask.
// CHECK-LABEL: .entry columns(
// CHECK-COUNT-4: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
sm.kernel @columns(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<64x96xbf16>
}

// Elements of one byte: as those of two.
// CHECK-LABEL: .entry bytes(
// CHECK-COUNT-2: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-COUNT-11: selp.b32
// CHECK-COUNT-4: prmt.b32.f4e
// CHECK: st.shared.v4.b32
sm.kernel @bytes(%x: !tile.global<[M, K] x f8E4M3FN>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f8E4M3FN>, index, index -> !sm.smem<32x64xf8E4M3FN, swizzle = 64>
}

// Elements of four bytes: words are chosen, and nothing is shifted.
// CHECK-LABEL: .entry words(
// CHECK-COUNT-2: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-NOT: prmt
// CHECK: st.shared.v4.b32
sm.kernel @words(%x: !tile.global<[M, K] x f32>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x f32>, index, index -> !sm.smem<16x32xf32, swizzle = 128>
}

// Elements of eight bytes: one choice.
// CHECK-LABEL: .entry long_words(
// CHECK-COUNT-2: @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-COUNT-4: selp.b32
// CHECK-NOT: selp
// CHECK: st.shared.v4.b32
sm.kernel @long_words(%x: !tile.global<[M, K] x i64>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) : !tile.global<[M, K] x i64>, index, index -> !sm.smem<16x16xi64>
}

// Memory that the kernel writes is not read through the cache of constants. A mask is a limit of no
// rows, whatever is known of the bounds.
// CHECK-LABEL: .entry written(
// CHECK: selp.b32 %{{.*}}, 0, %p
// CHECK-COUNT-2: @%p{{[0-9]+}} ld.global.v4.b32
sm.kernel @written(%x: !tile.global<[M, K] x bf16, inout>, %i: index, %j: index, %mask: i1) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) mask(%mask) in_bounds [true, true] : !tile.global<[M, K] x bf16, inout>, index, index -> !sm.smem<16x64xbf16, swizzle = 128>
}

// No masks where all is known to be valid.
// CHECK-LABEL: .entry in_bounds(
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-COUNT-4: prmt.b32.f4e
// CHECK-NOT: and.b32
// CHECK: st.shared.v4.b32
sm.kernel @in_bounds(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %j] dims [0, 1] limits(%M, %K) in_bounds [true, true] : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<16x64xbf16, swizzle = 128>
}

// One row.
// CHECK-LABEL: .entry line(
// CHECK-COUNT-2: @%p{{[0-9]+}} ld.global.v4.b32
sm.kernel @line(%x: !tile.global<[K] x bf16>, %j: index) grid() warps(4) {
  %K = tile.size K
  %a = sm.fetch %x[%j] dims [0] limits(%K) : !tile.global<[K] x bf16>, index -> !sm.smem<512xbf16>
}

// Rows of different planes: each address by itself.
// CHECK-LABEL: .entry planes(
// CHECK-COUNT-8: @%p{{[0-9]+}} ld.global.v4.b32
sm.kernel @planes(%x: !tile.global<[B, M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %B = tile.size B
  %M = tile.size M
  %K = tile.size K
  %a = sm.fetch %x[%i, %i, %j] dims [0, 1, 2] limits(%B, %M, %K) : !tile.global<[B, M, K] x bf16>, index, index, index -> !sm.smem<4x16x64xbf16>
}

// A column of a tensor has no pieces: elements, sixteen of a thread at a time.
// CHECK-LABEL: .entry elements(
// CHECK-NOT: cp.async
// CHECK-COUNT-16: @%p{{[0-9]+}} ld.global.b16
// CHECK-NOT: ld.global
// CHECK-COUNT-16: st.shared.b16
// CHECK-NOT: ld.global
sm.kernel @elements(%x: !tile.global<[M, K] x bf16>, %i: index, %j: index) grid() warps(4) {
  %M = tile.size M
  %a = sm.fetch %x[%i, %j] dims [0] limits(%M) : !tile.global<[M, K] x bf16>, index, index -> !sm.smem<2048xbf16>
}
