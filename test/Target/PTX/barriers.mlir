// RUN: tile-ptx %s | FileCheck %s

// Barriers of warps, blocks and clusters, and the fences between proxies.

// CHECK-LABEL: .entry barriers(
llvm.func @barriers(%bar: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %bytes = llvm.mlir.constant(4096 : i32) : i32
  %phase = llvm.mlir.constant(0 : i32) : i32
  %ticks = llvm.mlir.constant(10000000 : i32) : i32
  %id = llvm.mlir.constant(2 : i32) : i32
  %threads = llvm.mlir.constant(64 : i32) : i32
  // CHECK: mbarrier.init.shared{{.*}}.b64
  nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32
  // CHECK: fence.mbarrier_init.release.cluster
  nvvm.fence.mbarrier.init
  // CHECK: fence.proxy.async.shared::cta
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK: mbarrier.arrive.expect_tx{{.*}}.b64
  nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
  // CHECK: mbarrier.try_wait.parity{{.*}}.b64
  nvvm.mbarrier.try_wait.parity %bar, %phase, %ticks : !llvm.ptr<3>, i32, i32
  // CHECK: bar{{.*}}sync{{.*}} 2, 64
  nvvm.barrier id = %id number_of_threads = %threads
  // CHECK: bar{{.*}}arrive{{.*}} 2, 64
  // CHECK-NOT: .release.cluster
  nvvm.barrier.arrive id = %id number_of_threads = %threads
  // CHECK: mapa.shared::cluster
  %remote = nvvm.mapa %bar, %phase : !llvm.ptr<3> -> !llvm.ptr<7>
  // CHECK: mbarrier.arrive.relaxed.cluster.shared::cluster
  nvvm.mbarrier.arrive %remote {scope = #nvvm.mem_scope<cluster>, relaxed = true} : !llvm.ptr<7>
  // CHECK: barrier.cluster.arrive.aligned
  nvvm.cluster.arrive {aligned}
  // CHECK: barrier.cluster.wait.aligned
  nvvm.cluster.wait {aligned}
  // CHECK: setmaxnreg.dec.sync.aligned.u32 {{.*}}40
  nvvm.setmaxregister decrease 40
  llvm.return
}
