// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | FileCheck %s
// RUN: tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=ptx - | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ tile-opt %s -pass-pipeline='builtin.module(sm.kernel(sm-allocate-smem,sm-place-fences),convert-sm-to-nvvm)' | tile-ptx --emit=cubin --report -o /dev/null - 2>&1 | FileCheck %s --check-prefix=REPORT %}

// REPORT: roles: {{[0-9]+}} registers, 0 bytes stack, 0 + 0 bytes spilled

// Warps 0 and 1 share a warpgroup with 2 and 3, and so its registers; the barriers of turns come
// after those of the four roles.

// CHECK-LABEL: llvm.func @roles
// CHECK-DAG: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: llvm.icmp "ult" %[[WARP]]
// CHECK: nvvm.setmaxregister decrease 40
// CHECK-NOT: nvvm.setmaxregister
// CHECK: nvvm.elect.sync
// CHECK: nvvm.elect.sync
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.barrier.arrive id = {{.*}} number_of_threads
// CHECK: nvvm.barrier id = {{.*}} number_of_threads
// CHECK: nvvm.barrier.arrive id = {{.*}} number_of_threads
// CHECK-NOT: nvvm.setmaxregister
// CHECK: llvm.return
sm.kernel @roles(%i: i32) grid() warps(12) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<2>
  sm.role "one" warps(2) registers(40) elected {
    sm.mbarrier.arrive %b[%i] : !sm.mbarrier<2>
  }
  sm.role "two" warps(2) registers(40) elected {
    sm.mbarrier.wait %b[%i] parity %i : !sm.mbarrier<2>
  }
  sm.role "math" warps(8) registers(232) {
    sm.pingpong.start
    sm.pingpong.wait
    sm.pingpong.pass
    sm.mma.retire leave 0
    sm.barrier
  }
}

// A number goes from the thread that draws it to all others: each warp reads it once and arrives for
// itself. The draw is one atomic, which wraps to 0 at the last of the launch.

// CHECK-LABEL: llvm.func @draw
// CHECK-SAME: %[[COUNTER:arg2]]: !llvm.ptr<1>
// CHECK-SAME: kind\22:\22counter
// CHECK: %[[OLD:.*]] = llvm.atomicrmw uinc_wrap %[[COUNTER]], %{{.*}} syncscope("device") monotonic
// CHECK: llvm.add %{{.*}}, %[[OLD]]
// CHECK: llvm.store %{{.*}}, %{{.*}} {{.*}}: i32, !llvm.ptr<3>
// CHECK: mbarrier.arrive
// CHECK: mbarrier.try_wait
// CHECK: %[[WORD:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[WORD]]
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: %[[ONE:.*]] = llvm.zext %[[FIRST]]
// CHECK: %[[NONE:.*]] = nvvm.read.ptx.sreg.ctaid.z
// CHECK: %[[CLEARED:.*]] = llvm.and %{{.*}}, %[[NONE]]
// CHECK: %[[AFTER:.*]] = llvm.xor %[[ONE]], %[[CLEARED]]
// CHECK: mbarrier.arrive{{.*}} %{{.*}}, %[[AFTER]] :
// EXECUTE: draw not, since it draws once
sm.kernel @draw(%x: !tile.global<[M] x i32, out>) grid(m in M) warps(8) persistent form(expanded) {
  %i = arith.constant 0 : i32
  %M = tile.size M
  %w = sm.words.alloc : !sm.words<1>
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<1>
  %e = sm.mbarrier.alloc arrivals(4) : !sm.mbarrier<1>
  sm.role "load" warps(4) elected {
    %n = sm.next_program of %M
    %k = arith.index_cast %n : index to i32
    sm.words.store %k to %w[%i] : !sm.words<1>
    sm.mbarrier.arrive %b[%i] : !sm.mbarrier<1>
  }
  sm.role "math" warps(4) {
    sm.mbarrier.wait %b[%i] parity %i : !sm.mbarrier<1>
    %n = sm.words.load %w[%i] : !sm.words<1>
    sm.mbarrier.arrive %e[%i] warps after %n : i32 : !sm.mbarrier<1>
    %k = arith.index_cast %n : i32 to index
    sm.store %n to %x[%k] dims [] : i32, !tile.global<[M] x i32, out>, index
  }
}

// Every thread arrives when what it has started to copy is complete; for what went through registers one
// thread of each warp does, after the others.
#fetched = #sm.layout<"64 = register[2*(1)] lane[32*(2)] warp[]">
// CHECK-LABEL: llvm.func @fetched
// CHECK: cp.async.commit_group
// CHECK-NOT: llvm.icmp
// CHECK: cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];
// CHECK: nvvm.bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64
sm.kernel @fetched(%x: !tile.global<[M] x bf16>, %y: !tile.global<[64] x bf16, out>) grid() warps(2) form(expanded) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i = arith.constant 0 : i32
  %M = tile.size M
  %stages = sm.slots.alloc : !sm.slots<1 x !sm.smem<64xbf16>>
  %b = sm.mbarrier.alloc arrivals(33) : !sm.mbarrier<1>
  sm.role "fetch" warps(1) {
    %t = sm.slots.at %stages[%i] : !sm.slots<1 x !sm.smem<64xbf16>>
    sm.fetch.start %x[%c0] dims [0] limits(%M) into %t : !tile.global<[M] x bf16>, index, !sm.smem<64xbf16>
    sm.mbarrier.arrive %b[%i] fetches : !sm.mbarrier<1>
    sm.mbarrier.arrive %b[%i] warps : !sm.mbarrier<1>
  }
  sm.role "math" warps(1) {
    sm.mbarrier.wait %b[%i] parity %i : !sm.mbarrier<1>
    %t = sm.slots.at %stages[%i] : !sm.slots<1 x !sm.smem<64xbf16>>
    %v = sm.smem.load %t : !sm.smem<64xbf16> -> tensor<64xbf16, #fetched>
    sm.store %v to %y[%c0] dims [0] limits(%c64) : tensor<64xbf16, #fetched>, !tile.global<[64] x bf16, out>, index
  }
}

// Roles in turn have barriers of their own after those of all roles, which are 1 to 3; at each of
// them one role waits and the one before it arrives. The last one gives the first turn. What a role
// does in its turn may wait for its own threads.

// PTX-LABEL: .entry in_turn(
// PTX: bar.sync 5, 256;
// PTX: st.shared
// PTX: bar.sync 2, 128;
// PTX: bar.arrive 6, 256;
// PTX: bar.arrive 5, 256;
// PTX: bar.sync 6, 256;
// PTX: ld.shared
// PTX: bar.arrive 5, 256;
sm.kernel @in_turn(%x: !tile.global<[M] x i32, out>, %n: i32) grid() warps(12) form(expanded) {
  %i = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %w = sm.words.alloc : !sm.words<1>
  sm.role "load" warps(4) elected {
  }
  sm.role "math0" warps(4) {
    sm.pingpong.wait roles
    sm.words.store %n to %w[%i] : !sm.words<1>
    sm.barrier
    sm.pingpong.pass roles
  }
  sm.role "math1" warps(4) {
    sm.pingpong.start roles
    sm.pingpong.wait roles
    %k = sm.words.load %w[%i] : !sm.words<1>
    sm.pingpong.pass roles
    sm.store %k to %x[%c0] dims [] : i32, !tile.global<[M] x i32, out>, index
  }
}

// A stage is given back after each load of what was read of it: one of the two registers that each of eight
// loads has brought is looked at.
#column = #sm.layout<"64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">
// CHECK-LABEL: llvm.func @given_back
// CHECK-COUNT-8: llvm.load %{{.*}} -> vector<2xf32>
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-7: llvm.or
// CHECK-NOT: llvm.or
// CHECK: nvvm.read.ptx.sreg.ctaid.z
// CHECK: mbarrier.arrive
// EXECUTE: given_back not, since nothing fills the stage
sm.kernel @given_back(%i: i32) grid() warps(4) form(expanded) {
  %stages = sm.slots.alloc : !sm.slots<1 x !sm.smem<64xf32>>
  %e = sm.mbarrier.alloc arrivals(4) : !sm.mbarrier<1>
  sm.role "math" warps(4) {
    %t = sm.slots.at %stages[%i] : !sm.slots<1 x !sm.smem<64xf32>>
    %v = sm.smem.load %t : !sm.smem<64xf32> -> tensor<64xf32, #column>
    sm.mbarrier.arrive %e[%i] warps after %v : tensor<64xf32, #column> : !sm.mbarrier<1>
  }
}
