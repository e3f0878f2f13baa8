// RUN: tile-opt %s -sm-skip-reductions -cse | FileCheck %s

// Threads compare their own maxima, and warps in which some row grows reduce over lanes.

#s = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">

// CHECK-LABEL: sm.kernel @softmax
// CHECK:       scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[S:.*]] = %
// CHECK:         %[[OWN:.*]] = sm.reduce max %[[S]] axis 1 keep 8
// CHECK-NOT:     sm.reduce
// CHECK:         %[[OLD:.*]] = sm.broadcast
// CHECK:         %[[GROWTH:.*]] = arith.subf %[[OWN]], %[[OLD]]
// CHECK:         %[[FAR:.*]] = arith.cmpf ugt, %[[GROWTH]],
// CHECK:         %[[ANY:.*]] = sm.any %[[FAR]]
// CHECK:         %[[REF:.*]]:2 = scf.if %[[ANY]]
// CHECK:           %[[TOP:.*]] = sm.reduce max %[[OWN]] axis 1 :
// CHECK:           %[[NEW:.*]] = arith.maximumf %[[M]], %[[TOP]]
// CHECK:           %[[D:.*]] = arith.subf %[[NEW]], %[[M]]
// CHECK:           %[[GROWS:.*]] = arith.cmpf ugt, %[[D]],
// CHECK:           %[[R:.*]] = arith.select %[[GROWS]], %[[NEW]], %[[M]]
// CHECK:           %[[E:.*]] = arith.subf %[[M]], %[[R]]
// CHECK:           %[[F:.*]] = math.exp2 %[[E]]
// CHECK:           scf.yield %[[R]], %[[F]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[M]], %
// CHECK-NOT:     math.exp2
// CHECK:         %[[Y:.*]] = scf.if %[[ANY]]
// CHECK-NEXT:      arith.mulf %[[S]],
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK:         scf.yield %[[REF]]#0, %[[Y]]
sm.kernel @softmax(%scale: f32, %positive: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #s>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #row>
  %scales = tensor.splat %scale : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #row>, tensor<64x64xf32, #s>) {
    %top = sm.reduce max %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
    %new = arith.maximumf %m, %top : tensor<64xf32, #row>
    %growth = arith.subf %new, %m : tensor<64xf32, #row>
    %far = arith.cmpf ugt, %growth, %tau : tensor<64xf32, #row>
    %ref = arith.select %far, %new, %m : tensor<64xi1, #row>, tensor<64xf32, #row>
    %e = arith.subf %m, %ref : tensor<64xf32, #row>
    %f = math.exp2 %e : tensor<64xf32, #row>
    %f1 = sm.expand_dims %f axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %f2 = sm.broadcast %f1 : tensor<64x1xf32, #column> -> tensor<64x64xf32, #s>
    %scaled = arith.mulf %s, %f2 {tile.rare_factor} : tensor<64x64xf32, #s>
    scf.yield %ref, %scaled : tensor<64xf32, #row>, tensor<64x64xf32, #s>
  }
}

// With a scale of unknown sign, each side of the branch has its partial results, and the branch that follows reduces the
// scaled ones by their maximum.

// CHECK-LABEL: sm.kernel @both_signs
// CHECK:         %[[OWN:.*]] = scf.if %
// CHECK:           sm.reduce max %{{.*}} axis 1 keep 8
// CHECK:         } else {
// CHECK:           sm.reduce min %{{.*}} axis 1 keep 8
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[OWN]],
// CHECK:         %[[ANY:.*]] = sm.any
// CHECK:         scf.if %[[ANY]]
// CHECK:           sm.reduce max %[[SCALED]] axis 1 :
sm.kernel @both_signs(%scale: f32, %positive: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #s>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #row>
  %scales = tensor.splat %scale : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #row>, tensor<64x64xf32, #s>) {
    %raw = scf.if %positive -> (tensor<64xf32, #row>) {
      %a = sm.reduce max %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
      scf.yield %a : tensor<64xf32, #row>
    } else {
      %b = sm.reduce min %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
      scf.yield %b : tensor<64xf32, #row>
    }
    %top = arith.mulf %raw, %scales : tensor<64xf32, #row>
    %new = arith.maximumf %m, %top : tensor<64xf32, #row>
    %growth = arith.subf %new, %m : tensor<64xf32, #row>
    %far = arith.cmpf ugt, %growth, %tau : tensor<64xf32, #row>
    %ref = arith.select %far, %new, %m : tensor<64xi1, #row>, tensor<64xf32, #row>
    %e = arith.subf %m, %ref : tensor<64xf32, #row>
    %f = math.exp2 %e : tensor<64xf32, #row>
    %f1 = sm.expand_dims %f axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %f2 = sm.broadcast %f1 : tensor<64x1xf32, #column> -> tensor<64x64xf32, #s>
    %scaled = arith.mulf %s, %f2 {tile.rare_factor} : tensor<64x64xf32, #s>
    scf.yield %ref, %scaled : tensor<64xf32, #row>, tensor<64x64xf32, #s>
  }
}
