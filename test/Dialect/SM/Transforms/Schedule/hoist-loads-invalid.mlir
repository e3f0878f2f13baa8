// RUN: tile-opt %s -sm-hoist-loads=remarks -split-input-file -verify-diagnostics | FileCheck %s

// Loads that stay after their product, and why.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @written
// CHECK: sm.mma %
// CHECK: sm.load
sm.kernel @written(%x: !tile.global<[B, 16] x f32, inout>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %inside = arith.cmpi ult, %i, %B : index
      // expected-remark @below {{this load waits until a product is complete: the kernel writes this tensor}}
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32, inout>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @late_place
// CHECK: sm.mma %
// CHECK: sm.load
sm.kernel @late_place(%x: !tile.global<[B, 16] x f32>, %table: !tile.global<[B] x i32, inout>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      // expected-remark @below {{this load waits until a product is complete: the kernel writes this tensor}}
      %at = sm.load %table[%i] dims [] : !tile.global<[B] x i32, inout>, index -> i32
      %index = arith.index_cast %at : i32 to index
      // expected-remark @below {{this load waits until a product is complete: its place is computed after that}}
      %row = sm.load %x[%index, %c0] dims [1] limits(%c16) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// -----

#operand = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @operand_in_registers
// CHECK: sm.mma %
// CHECK: sm.load
sm.kernel @operand_in_registers(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %u = sm.smem.load %t : !a -> tensor<64x64xbf16, #operand>
      %d = sm.mma %u, %b, %zero : tensor<64x64xbf16, #operand>, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %inside = arith.cmpi ult, %i, %B : index
      // expected-remark @below {{this load waits until a product is complete: the product reads registers}}
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// CHECK-LABEL: sm.kernel @few_registers
// CHECK: sm.mma %
// CHECK: sm.load
sm.kernel @few_registers(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(32) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %inside = arith.cmpi ult, %i, %B : index
      // expected-remark @below {{this load waits until a product is complete: with the load, tiles would take 20 of 16 registers of a thread}}
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// -----

#operand = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = tensor<64x16xbf16, #operand>
!b = !sm.smem<16x16xbf16, swizzle = 32>
!t = tensor<64x16xf32, #operand>
!x = !tile.global<[M, 16] x bf16>

// It is the left operand of the next product, in the registers that this one reads.
// CHECK-LABEL: sm.kernel @next_operand
// CHECK: sm.mma.issue
// CHECK-NEXT: sm.mma.await
// CHECK-NEXT: sm.load
sm.kernel @next_operand(%x: !x, %n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %M = tile.size M
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : !t
    %first = sm.load %x[%c0, %c0] dims [0, 1] limits(%M, %c16) : !x, index, index -> !a
    %l:2 = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %zero, %a = %first) -> (!t, !a) {
      %p = sm.mma.issue %a, %b, %sum : !a, !b, !t
      %d = sm.mma.await %p : !sm.pending<!t>
      // expected-remark @below {{this load waits until a product is complete: the product reads registers}}
      %next = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c16) : !x, index, index -> !a
      scf.yield %d, %next : !t, !a
    }
  }
}

// -----

#operand = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = tensor<64x16xbf16, #operand>
!b = !sm.smem<16x16xbf16, swizzle = 32>
!k = !sm.smem<64x16xbf16, swizzle = 32>
!t = tensor<64x16xf32, #operand>
!x = !tile.global<[M, 16] x bf16>

// A product of the iteration before reads the registers until it is retired.
// CHECK-LABEL: sm.kernel @after_retire
// CHECK: sm.mma.await
// CHECK-NEXT: sm.mma.retire
// CHECK-NEXT: sm.load
sm.kernel @after_retire(%x: !x, %y: !tile.global<[M, 16] x f32, out>, %n: index) grid() warps(4) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %M = tile.size M
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %k = sm.scratch : !k
    %zero = arith.constant dense<0.0> : !t
    %start = sm.mma.issue %k, %b, %zero : !k, !b, !t
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (!sm.pending<!t>) {
      %p = sm.mma.issue %k, %b, %zero : !k, !b, !t
      %d = sm.mma.await %p : !sm.pending<!t>
      sm.mma.retire leave 0
      %a = sm.load %x[%i, %c0] dims [0, 1] limits(%M, %c16) : !x, index, index -> !a
      %next = sm.mma.issue %a, %b, %sum : !a, !b, !sm.pending<!t>
      sm.store %d to %y[%i, %c0] dims [0, 1] limits(%M, %c16) : !t, !tile.global<[M, 16] x f32, out>, index, index
      scf.yield %next : !sm.pending<!t>
    }
    %s = sm.mma.await %l : !sm.pending<!t>
  }
}
