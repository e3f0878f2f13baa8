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
    // expected-remark @below {{an operand is made anew in each iteration, outside of a ring, while the last product would still read it}}
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

// -----

// Two products of which the second one depends on the first.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#wide = #sm.layout<"16x64 = register[8*(0,1)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!k = !sm.smem<16x64xbf16, swizzle = 128>
!v = !sm.smem<16x16xbf16, swizzle = 32>
!v64 = !sm.smem<64x16xbf16, swizzle = 32>
sm.kernel @dependent(%n: index, %at: !tile.global<[N] x i32, inout>, %c: i1) grid() warps(4) form(scheduled) {
  %keys = sm.ring.alloc : !sm.ring<2 x [!k]>
  %values = sm.ring.alloc : !sm.ring<2 x [!v]>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  sm.role "math" warps(4) {
    %q = sm.scratch : !a
    %kfix = sm.scratch : !k
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    // expected-remark @below {{operand b of a product does not arrive through a ring}}
    %r0 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %kfix, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a slot is used by more than one product}}
    %r1 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %r = sm.read %k : !k -> tensor<16x64xbf16, #wide>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{an operand of the first product depends on what the loop writes}}
    %r2 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %e = sm.load %at[%i] dims [] : !tile.global<[N] x i32, inout>, index -> i32
      %ei = arith.index_cast %e : i32 to index
      sm.clip %k axis 0 from %ei : !k
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{the tile of the second product depends on what the loop carries}}
    %r3:2 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero, %j = %c0) -> (tensor<64x16xf32, #acc>, index) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      sm.clip %v axis 0 from %j : !v
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      %j1 = arith.addi %j, %c16 : index
      scf.yield %d, %j1 : tensor<64x16xf32, #acc>, index
    }
    // expected-remark @below {{operand a of the first product changes in the loop}}
    %r4 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %qi = sm.scratch : !a
      %s = sm.mma %qi, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{the first product adds to what the loop computes}}
    %r5:2 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero, %z = %zero) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %z transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d, %s : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{operand a of the second product is not in registers}}
    %r6 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %ps = sm.stage %p : tensor<64x16xbf16, #acc> -> !v64
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %ps, %v, %o : !v64, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{the second product is used in the loop}}
    %r7 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      %d2 = arith.negf %d : tensor<64x16xf32, #acc>
      scf.yield %d2 : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{the second product does not add to what the loop carries}}
    %r8 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %zero : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{operand a of the second product is not packed in the loop}}
    %r9 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p0 = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %p = arith.negf %p0 : tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{an operand of the first product depends on a product}}
    %r10 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %x = tensor.extract %o[%c0, %c0] : tensor<64x16xf32, #acc>
      %xi = arith.fptosi %x : f32 to i32
      %xx = arith.index_cast %xi : i32 to index
      sm.clip %k axis 0 from %xx : !k
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{operand a of the second product depends on its result}}
    %r11 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %so = arith.addf %s, %o : tensor<64x16xf32, #acc>
      %p = arith.truncf %so : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{it does more than compute}}
    %r12 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      sm.barrier
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d : tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{the result of the second product is used for more than the next one}}
    %r13:2 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero, %z = %zero) -> (tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %zz = arith.negf %o : tensor<64x16xf32, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      sm.ring.release %vs : !sm.slot<[!v]>
      scf.yield %d, %zz : tensor<64x16xf32, #acc>, tensor<64x16xf32, #acc>
    }
    // expected-remark @below {{a slot of its operands is not given back in it}}
    %r14 = scf.for %i = %c0 to %n step %c16 iter_args(%o = %zero) -> (tensor<64x16xf32, #acc>) {
      %ks = sm.ring.wait %keys : !sm.ring<2 x [!k]>
      %k = sm.slot.tile %ks[0] : !sm.slot<[!k]>
      %s = sm.mma %q, %k, %zero transpose_b : !a, !k, tensor<64x16xf32, #acc>
      sm.ring.release %ks : !sm.slot<[!k]>
      %p = arith.truncf %s : tensor<64x16xf32, #acc> to tensor<64x16xbf16, #acc>
      %vs = sm.ring.wait %values : !sm.ring<2 x [!v]>
      %v = sm.slot.tile %vs[0] : !sm.slot<[!v]>
      %d = sm.mma %p, %v, %o : tensor<64x16xbf16, #acc>, !v, tensor<64x16xf32, #acc>
      scf.if %c {
        sm.ring.release %vs : !sm.slot<[!v]>
      } else {
        sm.ring.release %vs : !sm.slot<[!v]>
      }
      scf.yield %d : tensor<64x16xf32, #acc>
    }
  }
}
