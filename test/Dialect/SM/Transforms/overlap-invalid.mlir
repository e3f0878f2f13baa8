// RUN: tile-opt %s -sm-overlap=remarks -split-input-file -verify-diagnostics | FileCheck %s

// Loops whose products go on waiting for each other.

// CHECK-NOT: sm.mma.issue

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @loops(%n: index, %c: i1) grid() warps(4) form(scheduled) {
  %r = sm.ring.alloc : !sm.ring<2 x [!a]>
  %once = sm.ring.alloc : !sm.ring<1 x [!a]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  sm.role "math" warps(4) {
    %a = sm.scratch : !a
    %b = sm.scratch : !b
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    // expected-remark @below {{products of this loop wait for each other: no operand arrives through a ring}}
    %l0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %d = sm.mma %a, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a product does more than add to what the loop carries}}
    %l1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      %e = arith.addf %d, %d : tensor<64x16xf32, #acc>
      scf.yield %e : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a product does more than add to what the loop carries}}
    %l2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %e = arith.addf %x, %x : tensor<64x16xf32, #acc>
      %d = sm.mma %t, %b, %e : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // The accumulators change places.
    // expected-remark @below {{a product does more than add to what the loop carries}}
    %l3:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      %e = sm.mma %t, %b, %y : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %e, %d : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{an operand is made anew in each iteration, outside of a ring}}
    %l4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %u = sm.scratch : !b
      %d = sm.mma %t, %u, %x : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a ring of one stage has no slot for the next product while this one is in flight}}
    %l5 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %once : !sm.ring<1 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a slot of its operands is not given back in it}}
    %l6 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
      scf.if %c {
        sm.ring.release %s : !sm.slot<[!a]>
      } else {
        sm.ring.release %s : !sm.slot<[!a]>
      }
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a product stands in a loop or condition within it}}
    %l7 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x16xf32, #acc>) {
      %s = sm.ring.wait %r : !sm.ring<2 x [!a]>
      %t = sm.slot.tile %s[0] : !sm.slot<[!a]>
      %d = scf.if %c -> tensor<64x16xf32, #acc> {
        %e = sm.mma %t, %b, %x : !a, !b, tensor<64x16xf32, #acc>
        scf.yield %e : tensor<64x16xf32, #acc>
      } else {
        scf.yield %x : tensor<64x16xf32, #acc>
      }
      sm.ring.release %s : !sm.slot<[!a]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
  }
}
