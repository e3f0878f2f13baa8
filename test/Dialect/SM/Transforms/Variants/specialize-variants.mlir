// RUN: tile-opt %S/../Inputs/gemm.mlir -sm-plan -sm-specialize-variants | FileCheck %s --check-prefix=GEMM
// RUN: tile-opt %s -sm-plan -sm-specialize-variants | FileCheck %s

// The product of any sizes is specialised for rows of whole 16 bytes; for others there is the kernel
// as it was, under a symbol of its own.

// GEMM: sm.kernel @matmul({{.*}} requires(
// GEMM: sm.role "load"
// GEMM: sm.kernel @matmul_plain({{.*}} warps(8)
// GEMM-SAME: attributes {sm.variant_of = "matmul"}
// GEMM-NOT: sm.role
// GEMM: sm.mma
// GEMM-NOT: sm.kernel

// A kernel that stays as it is has no variant; one that is a variant stays as it is.

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">

// CHECK-LABEL: sm.kernel @nothing_to_specialize
sm.kernel @nothing_to_specialize(%x: !tile.global<[N] x i32, out>, %i: index) grid() warps(4) {
  %t = sm.indices %i : tensor<128xi32, #line>
  sm.store %t to %x[%i] dims [0] limits(%i) : tensor<128xi32, #line>, !tile.global<[N] x i32, out>, index
}
// CHECK-NOT: sm.kernel @nothing_to_specialize_plain
// CHECK: sm.kernel @other({{.*}}) grid() warps(4) attributes {sm.variant_of = "nothing_to_specialize"}
sm.kernel @other(%x: !tile.global<[N] x i32, out>, %i: index) grid() warps(4) attributes {sm.variant_of = "nothing_to_specialize"} {
}
// CHECK-NOT: sm.kernel
