// What roles that compute hand to a role that stores, and to themselves.
// RUN: tile-opt %s --split-input-file --sm-plan | FileCheck %s
// RUN: tile-opt %s --split-input-file --sm-plan=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: sed 's/pingpong = true/late_stores = true/' %s | tile-opt --split-input-file --sm-plan | FileCheck %s
// RUN: sed 's/pingpong = true/exchange = 2/' %s | tile-opt --split-input-file --sm-plan | FileCheck %s
// RUN: sed 's/pingpong = true/exchange = 2/' %s | tile-opt --split-input-file --sm-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNMET
// RUN: sed 's/pingpong = true/exchange = 1, pingpong = true/' %s | tile-opt --split-input-file --sm-plan | FileCheck %s --check-prefix=ONE-SLOT
// What is planned is carried out.
// RUN: tile-opt %s --split-input-file --sm-plan --sm-tma-stores --sm-partition | FileCheck %s --check-prefix=DONE

// ONE-SLOT-NOT: exchange :

// DONE-NOT: sm.plan_entry
// DONE-NOT: {{ ring <}}

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// Additions of two loops of products leave by one ring to a role that has a warp of those that load; what is
// stored once stays with the role that computes.
// CHECK-LABEL: sm.kernel @sums
// CHECK-NEXT:    plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 8 registers 232],
// CHECK-NEXT:         rings = [x : slots 1 tma],
// CHECK-NEXT:         stores = [y_z : slots 2 store, z : buffers 2],
// CHECK: scf.for
// CHECK: sm.atomic add {{.*}} {sm.plan_entry = "y_z"}
// CHECK: scf.for
// CHECK: sm.atomic add {{.*}} {sm.plan_entry = "y_z"}
// CHECK: sm.atomic add {{.*}} {sm.plan_entry = "z"}
sm.kernel @sums(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    sm.atomic add %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    sm.atomic add %d to %z[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
  sm.atomic add %zero to %z[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// The ring has a stage where what is stored once gives up a buffer.
// CHECK-LABEL: sm.kernel @tight
// CHECK: stores = [y : slots 1 store, z : buffers 1],
sm.kernel @tight(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  %m0 = sm.scratch : !sm.smem<128x128xf32>
  %m1 = sm.scratch : !sm.smem<128x128xf32>
  %m2 = sm.scratch : !sm.smem<128x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    sm.atomic add %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
  sm.atomic add %zero to %z[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// The second stage of the ring comes from the second buffer of what is stored once.
// CHECK-LABEL: sm.kernel @second
// CHECK: stores = [y : slots 2 store, z : buffers 1],
sm.kernel @second(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  %m0 = sm.scratch : !sm.smem<128x128xf32>
  %m1 = sm.scratch : !sm.smem<128x128xf32>
  %m2 = sm.scratch : !sm.smem<64x32xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    sm.atomic add %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
  sm.atomic add %zero to %z[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// CHECK-LABEL: sm.kernel @full
// CHECK: plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232],
// CHECK: stores = [y : buffers 1],
sm.kernel @full(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  %m0 = sm.scratch : !sm.smem<128x128xf32>
  %m1 = sm.scratch : !sm.smem<128x128xf32>
  %m2 = sm.scratch : !sm.smem<128x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    // WHY: [[@LINE+1]]:5: remark: this store is no copy of another role: its tile takes 32768 bytes of shared memory, and only 27120 are left
    sm.atomic add %d to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// CHECK-LABEL: sm.kernel @position
// CHECK: plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232],
// CHECK: stores = [y : buffers 2],
sm.kernel @position(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %d = sm.mma %h, %b, %zero : !h, !b, !t
    %l = sm.load %at[%i] dims [] : !tile.global<[N] x i32, inout>, index -> i32
    %j = arith.index_cast %l : i32 to index
    // WHY: [[@LINE+1]]:5: remark: this store is no copy of another role: its position or whether it is done depends on what the kernel writes
    sm.atomic add %d to %y[%j, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !t, !y, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// What the warpgroups of a role write for each other goes through rings, unless the schedule says exchange = 1.
// CHECK-LABEL: sm.kernel @exchange
// CHECK-NEXT:    plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232],
// CHECK-NEXT:         rings = [x : slots 1 tma, exchange : slots 2 math, exchange_2 : slots 2 math],
// CHECK: sm.smem.store {{.*}} {sm.plan_entry = "exchange"}
// CHECK: sm.smem.store {{.*}} {sm.plan_entry = "exchange_2"}
sm.kernel @exchange(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<warpgroups = 2, stages = 1, pingpong = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// Loops share a ring where two do not fit.
// CHECK-LABEL: sm.kernel @one_ring
// CHECK: rings = [x : slots 1 tma, exchange : slots 2 math],
// CHECK: sm.smem.store {{.*}} {sm.plan_entry = "exchange"}
// CHECK: sm.smem.store {{.*}} {sm.plan_entry = "exchange"}
sm.kernel @one_ring(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<warpgroups = 2, stages = 1, pingpong = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  %m0 = sm.scratch : !sm.smem<128x128xf32>
  %m1 = sm.scratch : !sm.smem<128x128xf32>
  %m2 = sm.scratch : !sm.smem<128x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// No room for a second tile.
// UNMET-NOT: warning
// UNMET: [[@LINE+5]]:1: warning: `exchange = 2` is not done, no tile gets two slots between warpgroups: a second one takes 16384 bytes of shared memory, and only 10736 are left [one-slot]
// UNMET: note: remove it, or take smaller tiles or fewer `stages`
// UNMET: warning: `exchange = 2` is not done, no tile gets two slots between warpgroups: no loop writes a tile that several warpgroups multiply [one-slot]
// CHECK-LABEL: sm.kernel @meet
// CHECK: rings = [x : slots 1 tma],
sm.kernel @meet(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<warpgroups = 2, stages = 1, pingpong = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  %m0 = sm.scratch : !sm.smem<128x128xf32>
  %m1 = sm.scratch : !sm.smem<128x128xf32>
  %m2 = sm.scratch : !sm.smem<128x128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    // WHY: [[@LINE+1]]:10: remark: warpgroups meet where they exchange this tile: a second one takes 16384 bytes of shared memory, and only 10736 are left
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// With one slot for exchanged tiles, and for what others than products of the loop take, there are no rings.
// CHECK-LABEL: sm.kernel @in_phase
// CHECK: rings = [x : slots 1 tma],
sm.kernel @in_phase(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1, exchange = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x f32, inout>

// CHECK-LABEL: sm.kernel @read
// CHECK: rings = [x : slots 1 tma],
sm.kernel @read(%x: !x, %y: !y, %z: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<warpgroups = 2, stages = 1, pingpong = true> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %b = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
    %a = sm.smem.store %h : !h -> !a
    %r = sm.smem.load %a : !a -> !h
    %d = sm.mma %a, %b, %zero : !a, !b, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!b = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[M, 128, 64] x bf16, out>

// A store between inner loops of products leaves through the role as well: the next inner loop multiplies meanwhile.
// CHECK-LABEL: sm.kernel @nested
// CHECK: stores = [y : slots 2 store],
sm.kernel @nested(%x: !x, %y: !y, %at: !tile.global<[N] x i32, inout>, %n: index) grid() warps(8) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %h = arith.constant dense<0.0> : !h
  scf.for %i = %c0 to %n step %c1 {
    %sum = scf.for %k = %c0 to %N step %c64 iter_args(%acc = %zero) -> (!t) {
      %b = sm.fetch %x[%k, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !b
      %d = sm.mma %h, %b, %acc : !h, !b, !t
      scf.yield %d : !t
    }
    %r = arith.truncf %sum : !t to !h
    sm.store %r to %y[%i, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] : !h, !y, index, index, index
  }
}
