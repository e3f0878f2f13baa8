// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist -sm-plan | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %S/../Inputs/attention.mlir -sm-plan | FileCheck %s --check-prefix=ATT
// RUN: tile-opt %S/../Inputs/pingpong.mlir -sm-persist -sm-plan | FileCheck %s --check-prefix=TURNS
// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-persist -sm-plan | tile-opt -sm-plan | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %s -sm-plan | FileCheck %s
// RUN: tile-opt %s -sm-persist -sm-plan | FileCheck %s --check-prefix=WALK

// a and b of a product arrive in one slot. The tile is put to memory from where it lies, so there is no store.

// GEMM:      plan<roles = [load : warps 4 registers 40 elected, math : warps 8 registers 232],
// GEMM-NEXT:      rings = [a_b : slots 3 tma],
// GEMM-NEXT:      rest =
// GEMM: sm.fetch %a{{.*}} {sm.plan_entry = "a_b"}
// GEMM: sm.fetch %b{{.*}} {sm.plan_entry = "a_b"}

// The loop and its masked tail name the same rings.

// ATT:      plan<roles = [load : warps 4 registers 24 elected, math : warps 8 registers 240],
// ATT-NEXT:      rings = [q : slots 1 tma, k : slots 2 tma, v : slots 2 tma]
// ATT: sm.fetch %q{{.*}} {sm.plan_entry = "q"}
// ATT: scf.for
// ATT: sm.fetch %k{{.*}} {sm.plan_entry = "k"}
// ATT: sm.fetch %v{{.*}} {sm.plan_entry = "v"}
// ATT: scf.for
// ATT: sm.fetch %k{{.*}} {sm.plan_entry = "k"}
// ATT: sm.fetch %v{{.*}} {sm.plan_entry = "v"}

// TURNS: plan<roles = [load : warps 4 registers 24 elected, math : warps 4 registers 240 turns 2],

// Rows arrive by the threads of another role, both in one slot, and the load before the loop stays. Tensors that
// are fetched a second time have names of their own; stores of the loop leave through one ring.

// CHECK-LABEL: sm.kernel @rows
// CHECK-NEXT:    plan<roles = [load : warps 2 registers 40 elected, fetch : warps 1 registers 40, store : warps 1 registers 40 elected, math : warps 4 registers 248],
// CHECK-NEXT:         rings = [s : slots 4 threads, x : slots 4 tma, x_2 : slots 4 tma],
// CHECK-NEXT:         stores = [y : slots 2 store],
// CHECK-NEXT:         rest = 4096> {
// CHECK: sm.load %s
// CHECK-NOT: sm.plan_entry
// CHECK: scf.for
// CHECK: sm.fetch %x{{.*}} {sm.plan_entry = "x"}
// CHECK: sm.load %s{{.*}} {sm.plan_entry = "s"}
// CHECK: sm.load %s{{.*}} {sm.plan_entry = "s"}
// CHECK: sm.fetch %x{{.*}} {sm.plan_entry = "x_2"}
// CHECK: sm.store {{.*}} {sm.plan_entry = "y"}
// CHECK: sm.store {{.*}} {sm.plan_entry = "y"}

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!c = tensor<64x16xf32, #acc>
!x = !tile.global<[N, 64] x bf16>
!y = !tile.global<[N, 16] x f32, out>
!s = !tile.global<[N] x f32>
sm.kernel @rows(%x: !x, %s: !s, %y: !y, %z: !tile.global<[N] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  %first = sm.load %s[%c0] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
  scf.for %i = %c0 to %N step %c64 {
    %j = arith.addi %i, %c16 : index
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %l = sm.load %s[%i] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
    %m = sm.load %s[%j] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
    %d = sm.mma %t, %b, %zero : !a, !b, !c
    %u = sm.fetch %x[%j, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %e = sm.mma %u, %b, %zero : !a, !b, !c
    %n = arith.addf %l, %m : tensor<64xf32, #row>
    %o = arith.addf %n, %first : tensor<64xf32, #row>
    sm.store %o to %z[%i] dims [0] limits(%N) : tensor<64xf32, #row>, !tile.global<[N] x f32, out>, index
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : !c, !y, index, index
    sm.store %e to %y[%j, %c0] dims [0, 1] limits(%N, %c16) : !c, !y, index, index
  }
}

// Without roles there may be stores, and a person's plan stays.

// CHECK-LABEL: sm.kernel @fill
// CHECK-NEXT:    plan<stores = [y : buffers 1]> {
sm.kernel @fill(%y: !y) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %N = tile.size N
  %one = arith.constant dense<1.0> : !c
  sm.store %one to %y[%c0, %c0] dims [0, 1] limits(%N, %c16) : !c, !y, index, index
}

// A row that is loaded after the loop of products arrives while it runs. One before it does where CTAs walk over
// programs, beside the program before. A row that is not beside such a loop stays.

// CHECK-LABEL: sm.kernel @beside
// CHECK:              rings = [s : slots 1 threads, x : slots 4 tma],
// CHECK-NOT: sm.plan_entry
// CHECK: sm.fetch %x{{.*}} {sm.plan_entry = "x"}
// CHECK: sm.load %s{{.*}} {sm.plan_entry = "s"}
// CHECK-NOT: sm.plan_entry

// WALK-LABEL: sm.kernel @beside
// WALK:              rings = [r_s : slots 2 threads, x : slots 4 tma],
// WALK: sm.load %r{{.*}} {sm.plan_entry = "r_s"}
// WALK: sm.fetch %x{{.*}} {sm.plan_entry = "x"}
// WALK: sm.load %s{{.*}} {sm.plan_entry = "r_s"}
// WALK-NOT: sm.plan_entry
// WALK-LABEL: sm.kernel @edited
sm.kernel @beside(%x: !x, %s: !s, %r: !s, %y: !tile.global<[N] x f32, out>)
    grid(m in tiles(N, 64)) warps(4)
    schedule<persistent = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  %zero = arith.constant dense<0.0> : !c
  %b = sm.scratch : !b
  %before = sm.load %r[%m] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
  %d = scf.for %i = %c0 to %N step %c64 iter_args(%acc = %zero) -> (!c) {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !x, index, index -> !a
    %e = sm.mma %t, %b, %acc : !a, !b, !c
    scf.yield %e : !c
  }
  %after = sm.load %s[%m] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
  %element = tensor.extract %d[%c0, %c0] : !c
  %splat = tensor.splat %element : tensor<64xf32, #row>
  %sum = arith.addf %before, %after : tensor<64xf32, #row>
  %all = arith.addf %sum, %splat : tensor<64xf32, #row>
  %any = arith.cmpi sgt, %m, %c0 : index
  scf.if %any {
    %apart = sm.load %s[%m] dims [0] limits(%N) : !s, index -> tensor<64xf32, #row>
    %more = arith.addf %all, %apart : tensor<64xf32, #row>
    sm.store %more to %y[%m] dims [0] limits(%N) : tensor<64xf32, #row>, !tile.global<[N] x f32, out>, index
  }
}

// CHECK-LABEL: sm.kernel @edited
// CHECK-NEXT:    plan<stores = [y : buffers 3]> {
sm.kernel @edited(%y: !y) grid() warps(4)
    plan<stores = [y : buffers 3]> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %N = tile.size N
  %one = arith.constant dense<1.0> : !c
  sm.store %one to %y[%c0, %c0] dims [0, 1] limits(%N, %c16) {sm.plan_entry = "y"} : !c, !y, index, index
}

// CHECK-LABEL: sm.kernel @variant
// CHECK-SAME: grid() warps(4) attributes {sm.variant_of = "fill"} {
sm.kernel @variant(%y: !y) grid() warps(4) attributes {sm.variant_of = "fill"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %N = tile.size N
  %one = arith.constant dense<1.0> : !c
  sm.store %one to %y[%c0, %c0] dims [0, 1] limits(%N, %c16) : !c, !y, index, index
}
