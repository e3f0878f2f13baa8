// RUN: tile-ptx %s --line-tables | FileCheck %s
// RUN: tile-ptx %s | FileCheck %s --check-prefix=NONE

// The places in a source file reach the PTX on request.

// CHECK: .target sm_90a{{$}}
// CHECK-LABEL: .entry scale(
// CHECK: .loc [[FILE:[0-9]+]] 4 3
// CHECK: mul.rn.f32
// CHECK: .loc [[FILE]] 5 7
// CHECK: st.global
// CHECK: .file [[FILE]] "{{.*}}scale.tile"
// NONE-NOT: .loc
llvm.func @scale(%x: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %p = llvm.fmul %x, %x : f32 loc("scale.tile":4:3)
  llvm.store %p, %out : f32, !llvm.ptr<1> loc("scale.tile":5:7)
  llvm.return loc("scale.tile":6:1)
} loc("scale.tile":1:1)
