// RUN: tile-opt %s -sm-exchange-rings -split-input-file -verify-diagnostics -o /dev/null

// What a plan says and cannot be.

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @outside(%n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    // expected-error @below {{'sm.stage' op cannot be exchanged by ring 'e' of the plan: no loop writes it}}
    %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
    %d = sm.mma %t, %q, %zero : !k, !q, !t
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @read(%n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{cannot be exchanged by ring 'e' of the plan: others than products of its block take it}}
      %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
      %d = sm.read %t : !k -> !h
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @unused(%n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{cannot be exchanged by ring 'e' of the plan: nothing takes it}}
      %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @tiles(%n: index) grid() warps(12) form(scheduled) {
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math" warps(8) registers(232) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %n step %c1 {
      %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
      %d = sm.mma %t, %q, %zero : !k, !q, !t
    }
    scf.for %i = %c0 to %n step %c1 {
      %g = arith.constant dense<0.0> : tensor<128x64xf16, #acc>
      %v = sm.scratch : !sm.smem<64x64xf16, swizzle = 128>
      // expected-error @below {{cannot be exchanged by ring 'e' of the plan: tiles of another type go through it}}
      %t = sm.stage %g ring <e : stages 2 math> : tensor<128x64xf16, #acc> -> !sm.smem<128x64xf16, swizzle = 128>
      %d = sm.mma %t, %v, %zero : !sm.smem<128x64xf16, swizzle = 128>, !sm.smem<64x64xf16, swizzle = 128>, !t
    }
  }
}

// -----

#acc = #sm.layout<"128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!t = tensor<128x64xf32, #acc>
!h = tensor<128x64xbf16, #acc>
!k = !sm.smem<128x64xbf16, swizzle = 128>
!q = !sm.smem<64x64xbf16, swizzle = 128>
sm.kernel @roles(%n: index) grid() warps(20) form(scheduled) {
  sm.role "load" warps(4) registers(24) elected {
  }
  sm.role "math0" warps(8) registers(96) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %n step %c1 {
      %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
      %d = sm.mma %t, %q, %zero : !k, !q, !t
    }
  }
  sm.role "math" warps(8) registers(96) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %q = sm.scratch : !q
    %zero = arith.constant dense<0.0> : !t
    %p = arith.constant dense<0.0> : !h
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{cannot be exchanged by ring 'e' of the plan: one role fills and uses it, and it is not there}}
      %t = sm.stage %p ring <e : stages 2 math> : !h -> !k
      %d = sm.mma %t, %q, %zero : !k, !q, !t
    }
  }
}
