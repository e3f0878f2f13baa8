// RUN: tile-opt %s -sm-store-role -split-input-file -verify-diagnostics -o /dev/null

// What a plan says and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!y = !tile.global<[M, 128, 64] x f32, inout>
sm.kernel @busy(%y: !y, %z: !tile.global<[M, 128, 64] x bf16, inout>, %x: !tile.global<[M, 128] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "load" warps(3) registers(24) elected {
  }
  sm.role "store" warps(1) registers(24) elected {
    %s = sm.scratch : !sm.smem<128xf32>
  }
  sm.role "math" warps(8) registers(232) {
    %t = arith.constant dense<1.0> : !t
    %h = arith.constant dense<1.0> : !h
    // expected-error @below {{'sm.tma.store' op cannot leave by ring 'y' of the plan: the kernel has no empty role 'store'}}
    sm.tma.store %t to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 ring <y : stages 1 store> add : !t, !y, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!y = !tile.global<[M, 128, 64] x f32, inout>
sm.kernel @types(%y: !y, %z: !tile.global<[M, 128, 64] x bf16, inout>, %x: !tile.global<[M, 128] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "load" warps(3) registers(24) elected {
  }
  sm.role "store" warps(1) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %t = arith.constant dense<1.0> : !t
    %h = arith.constant dense<1.0> : !h
    sm.tma.store %t to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 ring <y : stages 1 store> add : !t, !y, index, index, index
    // expected-error @below {{cannot leave by ring 'y' of the plan: tiles of another type go through it}}
    sm.tma.store %h to %z[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 64 buffers 1 ring <y : stages 1 store> add : !h, !tile.global<[M, 128, 64] x bf16, inout>, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!y = !tile.global<[M, 128, 64] x f32, inout>
sm.kernel @position(%y: !y, %z: !tile.global<[M, 128, 64] x bf16, inout>, %x: !tile.global<[M, 128] x f32, inout>, %n: index) grid() warps(12) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "load" warps(3) registers(24) elected {
  }
  sm.role "store" warps(1) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %t = arith.constant dense<1.0> : !t
    %h = arith.constant dense<1.0> : !h
    %l = sm.load %x[%c0, %c0] dims [] : !tile.global<[M, 128] x f32, inout>, index, index -> f32
    %i = arith.fptosi %l : f32 to i32
    %j = arith.index_cast %i : i32 to index
    // expected-error @below {{cannot leave by ring 'y' of the plan: its position or whether it is done depends on what the kernel writes}}
    sm.tma.store %t to %y[%j, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 ring <y : stages 1 store> add : !t, !y, index, index, index
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!y = !tile.global<[M, 128, 64] x f32, inout>
sm.kernel @roles(%y: !y, %z: !tile.global<[M, 128, 64] x bf16, inout>, %x: !tile.global<[M, 128] x f32, inout>, %n: index) grid() warps(20) form(scheduled) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  sm.role "load" warps(3) registers(24) elected {
  }
  sm.role "store" warps(1) registers(24) elected {
  }
  sm.role "math0" warps(8) registers(96) {
    %t = arith.constant dense<1.0> : !t
    sm.tma.store %t to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 ring <y : stages 1 store> add : !t, !y, index, index, index
  }
  sm.role "math" warps(8) registers(96) {
    %t = arith.constant dense<1.0> : !t
    %h = arith.constant dense<1.0> : !h
    // expected-error @below {{cannot leave by ring 'y' of the plan: one role hands over tiles, and it is not there}}
    sm.tma.store %t to %y[%c0, %c0, %c0] dims [1, 2] limits(%c128, %c64) in_bounds [true, true] columns 32 buffers 1 ring <y : stages 1 store> add : !t, !y, index, index, index
  }
}
