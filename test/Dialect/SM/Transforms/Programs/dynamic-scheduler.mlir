// RUN: tile-opt %s -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-dynamic-scheduler | FileCheck %s
// RUN: tile-opt %s -sm-persist -sm-plan -sm-tma-stores -sm-partition -sm-dynamic-scheduler | tile-opt -sm-dynamic-scheduler | FileCheck %s

// The loader draws after its last copy; the others get the number where they need the next one.

// CHECK: sm.kernel @column_sums
// CHECK: %[[FIRST:.*]] = sm.program_id
// CHECK: %[[ALL:.*]] = tile.size M ceildiv 64
// CHECK: %[[QUEUE:.*]] = sm.queue.alloc : !sm.queue<2>
// CHECK-NEXT: sm.role "load"
// CHECK-NEXT: scf.while (%[[N:.*]] = %[[FIRST]]) : (index) -> index {
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[N]], %[[ALL]]
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[N]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[P:.*]]: index):
// CHECK: sm.copy.start %{{.*}}[%{{.*}}]
// CHECK: sm.ring.commit
// CHECK: %[[NEXT:.*]] = sm.next_program of %[[ALL]]
// CHECK-NEXT: sm.queue.push %[[NEXT]] to %[[QUEUE]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: sm.role "math"
// CHECK: scf.while
// CHECK: sm.store
// CHECK-NEXT: %[[NEXT:.*]] = sm.queue.pop %[[QUEUE]]
// CHECK-NEXT: scf.yield %[[NEXT]]
#row = #sm.layout<"64x64 = register[32*(0,2)] lane[2*(0,1) 16*(1,0)] warp[4*(16,0)]">
#sum = #sm.layout<"64 = lane[2*(0) 16*(1)] warp[4*(16)]">
sm.kernel @column_sums(%x: !tile.global<[M, 64] x bf16>, %y: !tile.global<[M] x bf16, out>)
    grid(m in tiles(M, 64)) warps(4) schedule<persistent = true, dynamic = true> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.size M
  %p = sm.program_id
  %m = arith.muli %p, %c64 : index
  %f = sm.fetch %x[%m, %c0] dims [0, 1] limits(%M, %c64) : !tile.global<[M, 64] x bf16>, index, index -> !sm.smem<64x64xbf16, swizzle = 128>
  %t = sm.smem.load %f : !sm.smem<64x64xbf16, swizzle = 128> -> tensor<64x64xbf16, #row>
  %s = sm.reduce max %t axis 1 : tensor<64x64xbf16, #row> -> tensor<64xbf16, #sum>
  sm.store %s to %y[%m] dims [0] limits(%M) : tensor<64xbf16, #sum>, !tile.global<[M] x bf16, out>, index
}
