// RUN: tile-opt %s -split-input-file -verify-diagnostics -o /dev/null

// Entries.

// expected-error @below {{'rest' is given twice}}
module attributes {test.a = #sm.plan<rest = 1, rest = 2>} {
}

// -----

// expected-error @below {{expected 'roles', 'rings', 'stores' or 'rest', got 'channels'}}
module attributes {test.a = #sm.plan<channels = []>} {
}

// -----

// expected-error @below {{expected 'tma', 'threads', 'math' or 'transform'}}
module attributes {test.a = #sm.planned_ring<k : slots 2 bulk>} {
}

// -----

// expected-error @below {{expected at least one warp of role 'load', got 0}}
module attributes {test.a = #sm.planned_role<load : warps 0 registers 24>} {
}

// -----

// expected-error @below {{expected at least one turn of role 'math', got 0}}
module attributes {test.a = #sm.planned_role<math : warps 4 registers 24 turns 0>} {
}

// -----

// expected-error @below {{expected 1 to 64 slots of ring 'k', got 0}}
module attributes {test.a = #sm.planned_ring<k : slots 0 tma>} {
}

// -----

// expected-error @below {{expected 1 to 64 slots of ring 'k', got 65}}
module attributes {test.a = #sm.planned_ring<k : slots 65 tma>} {
}

// -----

// expected-error @below {{expected 1 to 64 slots of store 'o', got 65}}
module attributes {test.a = #sm.planned_store<o : slots 65 store>} {
}

// -----

// expected-error @below {{expected 1 to 8 buffers of store 'o', got 9}}
module attributes {test.a = #sm.planned_store<o : buffers 9>} {
}

// -----

// expected-error @below {{expected 1 to 8 buffers of store 'o', got 0}}
module attributes {test.a = #sm.planned_store<o : buffers 0>} {
}

// -----

// expected-error @below {{expected 1 to 64 slots of store 'o', got 0}}
module attributes {test.a = #sm.planned_store<o : slots 0 store>} {
}

// -----

// expected-error @below {{expected 'buffers' or 'slots'}}
module attributes {test.a = #sm.planned_store<o : rings 1>} {
}

// -----

// expected-error @below {{expected 'store'}}
module attributes {test.a = #sm.planned_store<o : slots 1 math>} {
}

// -----

// Plan C1.

// expected-error @below {{has two roles 'load'}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, load : warps 4 registers 40 elected], rings = [x : slots 2 tma]>} {
}

// -----

// expected-error @below {{has two rings 'x'}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, x : slots 1 tma]>} {
}

// -----

// expected-error @below {{has two stores 'y'}}
module attributes {test.a = #sm.plan<stores = [y : buffers 1, y : buffers 2]>} {
}

// -----

// Plan C2.

// expected-error @below {{expected a ring that tensor copies or the threads of 'fetch' fill; a kernel without one has no roles}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232]>} {
}

// -----

// expected-error @below {{expected the roles load, fetch, math of rings and stores as these, got load, math}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 threads]>} {
}

// -----

// expected-error @below {{expected the roles load, math of rings and stores as these, got }}
module attributes {test.a = #sm.plan<rings = [x : slots 2 tma]>} {
}

// -----

// expected-error @below {{expected the roles load, fetch, math of rings and stores as these, got load, math}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma, y : slots 2 threads]>} {
}

// -----

// expected-error @below {{expected 'load' and 'store' to be elected, and no other role}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma]>} {
}

// -----

// expected-error @below {{expected 'load' and 'store' to be elected, and no other role}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232 elected], rings = [x : slots 2 tma]>} {
}

// -----

// expected-error @below {{role 'load' cannot take turns; 'math' can}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected turns 2, math : warps 4 registers 232], rings = [x : slots 2 tma]>} {
}

// -----

// expected-error @below {{expected the roles load, store, math of rings and stores as these, got load, math}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : slots 1 store]>} {
}

// -----

// expected-error @below {{expected the roles load, math of rings and stores as these, got load, store, math}}
module attributes {test.a = #sm.plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : buffers 1]>} {
}

// -----

// expected-error @below {{expected a ring that tensor copies or the threads of 'fetch' fill; a kernel without one has no roles}}
module attributes {test.a = #sm.plan<stores = [y : slots 1 store]>} {
}

// -----

// expected-error @below {{expected a ring that tensor copies or the threads of 'fetch' fill; a kernel without one has no roles}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 math]>} {
}

// -----

// expected-error @below {{expected 'load' and 'store' to be elected, and no other role}}
module attributes {test.a = #sm.plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40, math : warps 4 registers 232], rings = [x : slots 2 tma], stores = [y : slots 1 store]>} {
}

// -----

// expected-error @below {{role 'math' cannot take turns where role 'store' takes its tiles}}
module attributes {test.a = #sm.plan<roles = [load : warps 3 registers 40 elected, store : warps 1 registers 40 elected, math : warps 4 registers 232 turns 2], rings = [x : slots 2 tma], stores = [y : slots 1 store]>} {
}

// -----

// expected-error @below {{role 'math' cannot take turns where it fills a ring}}
module attributes {test.a = #sm.plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232 turns 2], rings = [x : slots 2 tma, e : slots 2 math]>} {
}

// -----

// Plan C3.

// expected-error @below {{expected 'rest' not to be negative, got -1}}
module attributes {test.a = #sm.plan<rest = -1>} {
}

// -----

// Kernel C8.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has a plan, which is carried out already; expected the planned form, without roles}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) form(scheduled)
    plan<rest = 0> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has no store and no addition for store 'y' of its plan}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<stores = [y : buffers 1]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<stores = [y : buffers 1]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{'sm.fetch' op names the ring 'x', which is not in the plan}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    // expected-error @below {{'sm.store' op names the store 'y', which is not in the plan}}
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{'sm.fetch' op names 'x', but the kernel has no plan}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    // expected-error @below {{'sm.mma' op cannot have 'sm.plan_entry'; fetches, loads, stores and additions of tiles, and rows computed from loads have it}}
    %d = sm.mma %t, %b, %z {sm.plan_entry = "x"} : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{'sm.fetch' op expected 'sm.plan_entry' to be a name, got 1 : i64}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = 1 : i64} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{'sm.fetch' op expected 'sm.plan_entry' to be a name, got ""}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = ""} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

// Kernel C9.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has layouts over 4 warps; its plan has 8 in role 'math'}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op expected roles of whole warpgroups, of 4 warps, in its plan, got 3 that load}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

!a = !sm.smem<64x64xbf16, swizzle = 128>
// expected-error @below {{'sm.kernel' op expected roles of whole warpgroups, of 4 warps, in its plan, got 2 that compute}}
sm.kernel @f(%x: !tile.global<[N, 64] x bf16>) grid() warps(2)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 2 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) {sm.plan_entry = "x"} : !tile.global<[N, 64] x bf16>, index, index -> !a
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has 36 warps in its plan; a block has 32}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232 turns 8], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has roles in turn in its plan, but no next program; expected a persistent kernel}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232 turns 2], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

!a = !sm.smem<64x64xbf16, swizzle = 128>
// expected-error @below {{'sm.kernel' op has roles of 8 warps in turn in its plan; expected one warpgroup each}}
sm.kernel @f(%x: !tile.global<[N, 64] x bf16>) grid() warps(8) persistent
    plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 96 turns 2], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %t = sm.fetch %x[%c0, %c0] dims [0, 1] limits(%c64, %c64) {sm.plan_entry = "x"} : !tile.global<[N, 64] x bf16>, index, index -> !a
}

// -----

// Kernel C10.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op expected a multiple of 8 registers from 24 to 256 for role 'math' of its plan, got 230}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 230], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op expected a multiple of 8 registers from 24 to 256 for role 'load' of its plan, got 16}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 16 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op expected the 40 registers of role 'load' for role 'fetch' of the same warpgroup, got 32}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 3 registers 40 elected, fetch : warps 1 registers 32, math : warps 4 registers 232], rings = [x : slots 2 tma, y : slots 2 threads]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    %r = sm.load %x[%i, %c0] dims [1] limits(%c64) {sm.plan_entry = "y"} : !x, index, index -> tensor<64xbf16, #sm.layout<"64 = register[2*(1)] lane[32*(2)] warp[4*(0)]">>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has 2144 registers in the roles of its plan, summed over warps; a launch of 12 warps allocates 2016}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4) persistent
    plan<roles = [load : warps 4 registers 24 elected, math : warps 4 registers 256 turns 2], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

// Kernel C11.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-note @below {{that slot is filled here}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    scf.for %j = %c0 to %c64 step %c16 {
      // expected-error @below {{'sm.fetch' op fills ring 'x' while a slot of it may be held, for as long as the block runs around it; expected a ring of its own}}
      %u = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
      %e = sm.mma %u, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    }
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
sm.kernel @f(%x: !x, %y: !y, %z0: !tile.global<[N, 64] x bf16, out>) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 2 tma]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    // expected-note @below {{a slot begins here}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : tensor<64x16xf32, #acc>, !y, index, index
  }
  scf.for %i = %c0 to %N step %c16 {
    // expected-error @below {{'sm.fetch' op begins a slot of ring 'x' with other tiles than those before it}}
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !sm.smem<16x64xbf16, swizzle = 128>
    sm.copy.store %t to %z0[%i, %c0] dims [0, 1] limits(%N, %c64) : !sm.smem<16x64xbf16, swizzle = 128>, !tile.global<[N, 64] x bf16, out>, index, index
  }
}

// -----

// Kernel C12.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
// expected-error @below {{'sm.kernel' op has a plan of 235568 bytes of shared memory: 229376 in rings, 4096 in stores, 2096 for the rest; a block has 232448}}
sm.kernel @f(%x: !x, %y: !y) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, math : warps 4 registers 232], rings = [x : slots 28 tma], stores = [y : buffers 1], rest = 2096> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) {sm.plan_entry = "x"} : !x, index, index -> !a
    %d = sm.mma %t, %b, %z : !a, !b, tensor<64x16xf32, #acc>
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !y, index, index
  }
}

// -----

// What a plan leaves to sm-allocate-smem.

// expected-error @below {{'builtin.module' op cannot have 'sm.planned_bytes'; kernels have it}}
module attributes {sm.planned_bytes = 1 : i64} {
}

// -----

// expected-error @below {{'builtin.module' op cannot have 'sm.register_leeway'; kernels have it}}
module attributes {sm.register_leeway = 1 : i64} {
}

// -----

// expected-error @below {{'sm.kernel' op expected 'sm.register_leeway' to be an i64 that is not negative, got 4 : i32}}
sm.kernel @f() grid() warps(4) attributes {sm.register_leeway = 4 : i32} {
}

// -----

// expected-error @below {{'sm.kernel' op expected 'sm.planned_bytes' to be an i64 that is not negative, got -1 : i64}}
sm.kernel @f() grid() warps(4) attributes {sm.planned_bytes = -1 : i64} {
}

// -----

// expected-error @below {{'sm.kernel' op cannot have 'sm.buffer_number'; an sm.smem.store has it}}
sm.kernel @f() grid() warps(4) attributes {sm.buffer_number = 0 : i64} {
}

// -----

#wide = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @f() grid() warps(4) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
  // expected-error @below {{'sm.smem.store' op expected 'sm.buffer_number' to be an i64 that is not negative, got -1 : i64}}
  %s = sm.smem.store %z {sm.buffer_number = -1 : i64} : tensor<64x64xf32, #wide> -> !sm.smem<64x64xf32, swizzle = 128>
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @by_buffers(%y: !tile.global<[N, 16] x f32, inout>) grid() warps(4)
    plan<stores = [y : buffers 2]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %N = tile.size N
  %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  // expected-error @below {{'sm.tma.store' op names store 'y' by buffers, and has its own}}
  sm.tma.store %z to %y[%c0, %c0] dims [0, 1] limits(%N, %c16) columns 16 buffers 1 add {sm.plan_entry = "y"} : tensor<64x16xf32, #acc>, !tile.global<[N, 16] x f32, inout>, index, index
}

// -----

#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
sm.kernel @two_rows(%x: !tile.global<[N] x f32>) grid() warps(4)
    plan<roles = [load : warps 4 registers 40 elected, transform : warps 4 registers 88, math : warps 4 registers 232],
         rings = [x : slots 1 tma, p : slots 1 transform]> {
  %c0 = arith.constant 0 : index
  %N = tile.size N
  %t = sm.load %x[%c0] dims [0] limits(%N) {sm.plan_entry = "x"} : !tile.global<[N] x f32>, index -> tensor<64xf32, #row>
  // expected-note @below {{it is filled here}}
  %a = arith.negf %t {sm.plan_entry = "p"} : tensor<64xf32, #row>
  // expected-error @below {{'arith.negf' op fills ring 'p' for the second time in its block; one tile at a time goes through it}}
  %b = arith.negf %a {sm.plan_entry = "p"} : tensor<64xf32, #row>
}

// -----

// The attribute that sm-expand-rings stores for reports.

// expected-error @below {{'builtin.module' op cannot have 'sm.progress'; kernels have it}}
module attributes {sm.progress = "proven"} {
}

// -----

// expected-error @below {{'sm.kernel' op expected 'sm.progress' to be "proven" or a reason against a proof, got ""}}
sm.kernel @f() grid() warps(4) attributes {sm.progress = ""} {
}
