// Tiles that products take, computed from what arrives by a role of its own.
// RUN: tile-opt %s --split-input-file --sm-plan | FileCheck %s
// RUN: tile-opt %s --split-input-file --sm-plan=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// What is planned is carried out.
// RUN: tile-opt %s --split-input-file --sm-plan --sm-tma-stores --sm-partition | FileCheck %s --check-prefix=DONE

// DONE-NOT: sm.plan_entry
// DONE-NOT: {{ ring <}}

#acc = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"128x64 = register[16*(0,1) 2*(64,0)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x128xf32, #acc>
!w = tensor<128x64xi8, #wide>
!h = tensor<128x64xbf16, #wide>
!b = !sm.smem<128x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// CHECK-LABEL: sm.kernel @weights
// CHECK-NEXT:    plan<roles = [load : warps 4 registers 24 elected, transform : warps 4 registers 88, math : warps 8 registers 200],
// CHECK-NEXT:         rings = [q : slots 2 tma, x : slots 2 tma, transformed : slots 2 transform],
// CHECK: sm.load {{.*}} {sm.plan_entry = "q"}
// CHECK: sm.smem.store {{.*}} {sm.plan_entry = "transformed"}
// DONE-LABEL: sm.kernel @weights
// DONE: sm.role "transform"
// DONE: sm.slot.store
sm.kernel @weights(%x: !x, %q: !q, %n: index) grid() warps(8) schedule<stages = 2> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#wide = #sm.layout<"128x64 = register[16*(0,1) 4*(32,0)] lane[4*(0,16) 8*(1,0)] warp[4*(8,0)]">
!t = tensor<64x128xf32, #acc>
!w = tensor<128x64xi8, #wide>
!h = tensor<128x64xbf16, #wide>
!b = !sm.smem<128x64xbf16, swizzle = 128>
!a = !sm.smem<64x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// One warpgroup that multiplies leaves more registers.
// CHECK-LABEL: sm.kernel @alone
// CHECK-NEXT:    plan<roles = [load : warps 4 registers 40 elected, transform : warps 4 registers 216, math : warps 4 registers 248],
sm.kernel @alone(%x: !x, %q: !q, %n: index) grid() warps(4) schedule<stages = 2> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"128x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#wide = #sm.layout<"256x64 = register[16*(0,1) 4*(64,0)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<128x256xf32, #acc>
!w = tensor<256x64xi8, #wide>
!h = tensor<256x64xbf16, #wide>
!b = !sm.smem<256x64xbf16, swizzle = 128>
!a = !sm.smem<128x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// One instruction has the registers that threads of four warpgroups start with.
// CHECK-LABEL: sm.kernel @wide
// CHECK-NEXT:    plan<roles = [load : {{.*}}, math : warps 8
// CHECK-NOT: transformed
// WHY: remark: products wait for this tile, which their own role computes: a product needs 154 registers, and with another role threads start with 128; narrower tiles need fewer [tile-in-place]
sm.kernel @wide(%x: !x, %q: !q, %n: index) grid() warps(8) schedule<stages = 2> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"448x224 = register[2*(0,1) 2*(8,0) 28*(0,8)] lane[4*(0,2) 8*(1,0)] warp[28*(16,0)]">
#wide = #sm.layout<"224x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[28*(8,0)]">
!t = tensor<448x224xf32, #acc>
!w = tensor<224x64xi8, #wide>
!h = tensor<224x64xbf16, #wide>
!b = !sm.smem<224x64xbf16, swizzle = 128>
!a = !sm.smem<448x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// A block has no warps left.
// CHECK-LABEL: sm.kernel @many
// CHECK-NOT: transformed
// WHY: remark: products wait for this tile, which their own role computes: no warpgroup is left for another one [tile-in-place]
sm.kernel @many(%x: !x, %q: !q, %n: index) grid() warps(28) schedule<stages = 1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"576x96 = register[2*(0,1) 2*(8,0) 12*(0,8) 3*(64,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 3*(192,0)]">
#wide = #sm.layout<"96x64 = register[16*(0,1)] lane[4*(0,16) 8*(1,0)] warp[12*(8,0)]">
!t = tensor<576x96xf32, #acc>
!w = tensor<96x64xi8, #wide>
!h = tensor<96x64xbf16, #wide>
!b = !sm.smem<96x64xbf16, swizzle = 128>
!a = !sm.smem<576x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// Three warpgroups that multiply leave too few registers.
// CHECK-LABEL: sm.kernel @full
// CHECK-NOT: transformed
// WHY: remark: products wait for this tile, which their own role computes: products need {{[0-9]+}} registers, and with another role they have {{[0-9]+}}; smaller tiles need fewer [tile-in-place]
sm.kernel @full(%x: !x, %q: !q, %n: index) grid() warps(12) schedule<stages = 2> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}

// -----

#acc = #sm.layout<"256x128 = register[2*(0,1) 2*(8,0) 16*(0,8) 2*(64,0)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(128,0)]">
#wide = #sm.layout<"128x64 = register[16*(0,1) 2*(64,0)] lane[4*(0,16) 8*(1,0)] warp[8*(8,0)]">
!t = tensor<256x128xf32, #acc>
!w = tensor<128x64xi8, #wide>
!h = tensor<128x64xbf16, #wide>
!b = !sm.smem<128x64xbf16, swizzle = 128>
!a = !sm.smem<256x64xbf16, swizzle = 128>
!x = !tile.global<[M, 64] x bf16>
!q = !tile.global<[N, 64] x i8>

// A second stage of the ring does not fit beside as many stages as were asked for.
// CHECK-LABEL: sm.kernel @large
// CHECK-NOT: transformed
// WHY: remark: products wait for this tile, which their own role computes: a second one takes 16384 bytes of shared memory, and only {{[0-9]+}} are left [tile-in-place]
sm.kernel @large(%x: !x, %q: !q, %n: index) grid() warps(8) schedule<stages = 5> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !t
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!t) {
    %a = sm.fetch %x[%i, %c0] dims [0, 1] limits(%M, %c64) : !x, index, index -> !a
    %w = sm.load %q[%i, %c0] dims [0, 1] limits(%N, %c64) : !q, index, index -> !w
    %f = arith.sitofp %w : !w to !h
    %b = sm.smem.store %f : !h -> !b
    %p = sm.mma %a, %b, %s transpose_b : !a, !b, !t
    scf.yield %p : !t
  }
}
