// --report says what each kernel takes of the machine, with the lines of the source.

// RUN: tilec %s --emit=allocate --report -o /dev/null 2>&1 | FileCheck %s --strict-whitespace

// CHECK:      {{^}}kernel 'product': 256 threads, 25600 bytes of shared memory
// CHECK-NEXT: {{^}}  at most 2 per multiprocessor, by registers
// CHECK-NEXT: {{^}}  roles:
// CHECK-NEXT: {{^}}    'load': 4 warps, 40 registers, one thread, at report.mlir:[[#@LINE+17]]:3
// CHECK-NEXT: {{^}}    'math': 4 warps, 216 registers, at report.mlir:[[#@LINE+19]]:3
// CHECK-NEXT: {{^}}  shared memory:
// CHECK-NEXT: {{^}}    16384 bytes at 1024: 2 slots of 64x64 bf16, swizzle 128, at report.mlir:[[#@LINE+11]]:8
// CHECK-NEXT: {{^}}    16 bytes at 0: 2 barriers, at report.mlir:[[#@LINE+11]]:8
// CHECK-NEXT: {{^}}    2048 bytes at 17408: 64x16 bf16, swizzle 32, at report.mlir:[[#@LINE+17]]:10
// CHECK-NEXT: {{^}}  products:
// CHECK-NEXT: {{^}}    64x16x64 of bf16 by wgmma m64n16k16, a from shared memory, at report.mlir:[[#@LINE+16]]:10
// CHECK-NEXT: {{^}}  tensor copies:
// CHECK-NEXT: {{^}}    load 64x64 bf16, swizzle 128, of bf16[M, K], at report.mlir:[[#@LINE+9]]:5

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
module attributes {tile.phase = "allocate"} {
sm.kernel @product(%x: !tile.global<[M, K] x bf16>, %k: index, %i: i32) grid() warps(8) form(expanded) shared(25600) {
  %s = sm.slots.alloc at 1024 : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  %f = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<2>
  %a = sm.slots.at %s[%i] : !sm.slots<2 x !sm.smem<64x64xbf16, swizzle = 128>>
  sm.role "load" warps(4) registers(40) elected {
    sm.tma.load %x[%k, %k] dims [0, 1] limits(%k, %k) into %a signal %f[%i] : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>, !sm.mbarrier<2>
  }
  sm.role "math" warps(4) registers(216) {
    %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %b = sm.scratch at 17408 : !sm.smem<64x16xbf16, swizzle = 32>
    %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
  }
}
}
