// RUN: tile-opt %s -sm-hoist-loads | FileCheck %s

// Loads run beside the product that they followed.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#line = #sm.layout<"1x16 = register[2*(0,1) 2*(0,8)] lane[4*(0,2) 8*(0,0)] warp[4*(0,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>

// The product is issued first; the mask goes with the load.
// CHECK-LABEL: sm.kernel @after_one_product
// CHECK: scf.for %[[I:[a-z0-9]+]] = %c0
// CHECK: %[[P:.*]] = sm.mma.issue
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %{{.*}} : index
// CHECK-NEXT: %[[ROW:.*]] = sm.load %{{.*}}[%[[I]], %c0] dims [1] limits(%c16) mask(%[[INSIDE]])
// CHECK-NEXT: %[[D:.*]] = sm.mma.await %[[P]] :
// CHECK-NEXT: sm.ring.release
// CHECK-NEXT: sm.expand_dims %[[ROW]]
// CHECK: arith.mulf %[[D]],
sm.kernel @after_one_product(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
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
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// Beside the last product alone: the registers are not held while the first one runs.
// CHECK-LABEL: sm.kernel @after_two_products
// CHECK: sm.mma %
// CHECK-NEXT: sm.mma.issue
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: sm.load
// CHECK-NEXT: sm.mma.await
// CHECK-NEXT: sm.ring.release
// CHECK-NEXT: sm.expand_dims
sm.kernel @after_two_products(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
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
      %e = sm.mma %t, %b, %d : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %inside = arith.cmpi ult, %i, %B : index
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %e, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// Two loads, in their order, beside a product that was issued already.
// CHECK-LABEL: sm.kernel @after_an_await
// CHECK: sm.mma.issue
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: sm.load {{.*}} dims [1]
// CHECK-NEXT: sm.load {{.*}} dims []
// CHECK-NEXT: sm.mma.await
sm.kernel @after_an_await(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
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
      %p = sm.mma.issue %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      %d = sm.mma.await %p : !sm.pending<tensor<64x16xf32, #acc>>
      sm.ring.release %s : !sm.slot<[!a]>
      %inside = arith.cmpi ult, %i, %B : index
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %one = sm.load %x[%i, %c0] dims [] : !tile.global<[B, 16] x f32>, index, index -> f32
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// The place may come from memory, if it is there in time.
// CHECK-LABEL: sm.kernel @place_from_memory
// CHECK: %[[AT:.*]] = sm.load %{{.*}} dims [] : {{.*}} -> i32
// CHECK: sm.mma.issue
// CHECK-NEXT: %[[INDEX:.*]] = arith.index_cast %[[AT]]
// CHECK-NEXT: sm.load %{{.*}}[%[[INDEX]], %c0] dims [1]
// CHECK-NEXT: sm.mma.await
sm.kernel @place_from_memory(%x: !tile.global<[B, 16] x f32>, %table: !tile.global<[B] x i32>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %at = sm.load %table[%i] dims [] : !tile.global<[B] x i32>, index -> i32
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %index = arith.index_cast %at : i32 to index
      %row = sm.load %x[%index, %c0] dims [1] limits(%c16) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// There is no product before it in the loop.
// CHECK-LABEL: sm.kernel @first
// CHECK: scf.for
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: sm.load
// CHECK-NEXT: sm.ring.wait
sm.kernel @first(%x: !tile.global<[B, 16] x f32>) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %B = tile.size B
  sm.role "math" warps(4) registers(128) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %l = scf.for %i = %c0 to %B step %c1 iter_args(%sum = %zero) -> (tensor<64x16xf32, #acc>) {
      %inside = arith.cmpi ult, %i, %B : index
      %row = sm.load %x[%i, %c0] dims [1] limits(%c16) mask(%inside) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %line = sm.expand_dims %row axis 0 : tensor<16xf32, #row> -> tensor<1x16xf32, #line>
      %wide = sm.broadcast %line : tensor<1x16xf32, #line> -> tensor<64x16xf32, #acc>
      %scaled = arith.mulf %d, %wide : tensor<64x16xf32, #acc>
      %next = arith.addf %sum, %scaled : tensor<64x16xf32, #acc>
      scf.yield %next : tensor<64x16xf32, #acc>
    }
  }
}

// Kernels of one role are left as they are.
// CHECK-LABEL: sm.kernel @planned
// CHECK: sm.mma %
// CHECK-NEXT: sm.load
sm.kernel @planned(%x: !tile.global<[B, 16] x f32>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %a = sm.scratch : !a
  %b = sm.scratch : !b
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %d = sm.mma %a, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
  %row = sm.load %x[%c0, %c0] dims [1] limits(%c16) : !tile.global<[B, 16] x f32>, index, index -> tensor<16xf32, #row>
}

// A row that another role has brought is waited for and read beside the product, too, and its slot
// given back at once. One of more registers is read where it is used.
!short = !sm.smem<32xf32>
!long = !sm.smem<256xf32>
#short = #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
#long = #sm.layout<"256 = register[2*(1) 32*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
// CHECK-LABEL: sm.kernel @rows
// CHECK: %[[SHORT:.*]] = sm.ring.alloc warps : !sm.ring<2 x [!sm.smem<32xf32>]>
// CHECK: %[[LONG:.*]] = sm.ring.alloc warps : !sm.ring<2 x [!sm.smem<256xf32>]>
// CHECK: sm.role "math"
// CHECK: sm.mma.issue
// CHECK-NEXT: %[[S:.*]] = sm.ring.wait %[[SHORT]]
// CHECK-NEXT: %[[T:.*]] = sm.slot.tile %[[S]][0]
// CHECK-NEXT: sm.smem.load %[[T]]
// CHECK-NEXT: sm.ring.release %[[S]]
// CHECK-NEXT: sm.mma.await
// CHECK: sm.ring.wait %[[LONG]]
sm.kernel @rows(%x: !tile.global<[B, 32] x f32>, %y: !tile.global<[B, 256] x f32>, %u: !tile.global<[B, 32] x f32, out>,
                %v: !tile.global<[B, 256] x f32, out>) grid() warps(8) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %short = sm.ring.alloc warps : !sm.ring<2 x [!short]>
  %long = sm.ring.alloc warps : !sm.ring<2 x [!long]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %B = tile.size B
  sm.role "fetch" warps(4) registers(40) {
    scf.for %i = %c0 to %B step %c1 {
      %s = sm.ring.acquire %short : !sm.ring<2 x [!short]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!short]>
      sm.fetch.start %x[%i, %c0] dims [1] limits(%c32) into %t : !tile.global<[B, 32] x f32>, index, index, !short
      sm.ring.commit %s : !sm.slot<[!short]>
      %l = sm.ring.acquire %long : !sm.ring<2 x [!long]>
      %w = sm.slot.tile %l[0] : !sm.slot<[!long]>
      sm.fetch.start %y[%i, %c0] dims [1] limits(%c256) into %w : !tile.global<[B, 256] x f32>, index, index, !long
      sm.ring.commit %l : !sm.slot<[!long]>
    }
  }
  sm.role "math" warps(4) registers(200) {
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    scf.for %i = %c0 to %B step %c1 {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %s1 = sm.ring.wait %short : !sm.ring<2 x [!short]>
      %t1 = sm.slot.tile %s1[0] : !sm.slot<[!short]>
      %x1 = sm.smem.load %t1 : !short -> tensor<32xf32, #short>
      %s2 = sm.ring.wait %long : !sm.ring<2 x [!long]>
      %t2 = sm.slot.tile %s2[0] : !sm.slot<[!long]>
      %x2 = sm.smem.load %t2 : !long -> tensor<256xf32, #long>
      sm.store %x1 to %u[%i, %c0] dims [1] limits(%c32) : tensor<32xf32, #short>, !tile.global<[B, 32] x f32, out>, index, index
      sm.store %x2 to %v[%i, %c0] dims [1] limits(%c256) : tensor<256xf32, #long>, !tile.global<[B, 256] x f32, out>, index, index
      sm.ring.release %s1 : !sm.slot<[!short]>
      sm.ring.release %s2 : !sm.slot<[!long]>
    }
  }
}
