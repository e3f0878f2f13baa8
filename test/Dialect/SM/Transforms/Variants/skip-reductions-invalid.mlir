// RUN: tile-opt %s -sm-skip-reductions | FileCheck %s --implicit-check-not=sm.any

// Reductions that stay.

#s = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">
#apart = #sm.layout<"64x64 = register[2*(0,1) 2*(8,0) 4*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0) 2*(0,32)]">
#apart_row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16) 2*(0)]">
#apart_column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0) 2*(0,0)]">

// The reference is a constant, which every row exceeds.

// CHECK-LABEL: sm.kernel @first
sm.kernel @first(%scale: f32, %positive: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #s>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #row>
  %scales = tensor.splat %scale : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #row>, tensor<64x64xf32, #s>) {
    %top = sm.reduce max %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
    %new = arith.maximumf %low, %top : tensor<64xf32, #row>
    %growth = arith.subf %new, %low : tensor<64xf32, #row>
    %far = arith.cmpf ugt, %growth, %tau : tensor<64xf32, #row>
    %ref = arith.select %far, %new, %low : tensor<64xi1, #row>, tensor<64xf32, #row>
    %e = arith.subf %low, %ref : tensor<64xf32, #row>
    %f = math.exp2 %e : tensor<64xf32, #row>
    %f1 = sm.expand_dims %f axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %f2 = sm.broadcast %f1 : tensor<64x1xf32, #column> -> tensor<64x64xf32, #s>
    %scaled = arith.mulf %s, %f2 {tile.rare_factor} : tensor<64x64xf32, #s>
    scf.yield %ref, %scaled : tensor<64xf32, #row>, tensor<64x64xf32, #s>
  }
}

// Warps share rows, and would meet in the branch.

// CHECK-LABEL: sm.kernel @over_warps
sm.kernel @over_warps(%scale: f32, %positive: i1) grid() warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #apart_row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #apart>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #apart_row>
  %scales = tensor.splat %scale : tensor<64xf32, #apart_row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #apart_row>, tensor<64x64xf32, #apart>) {
    %top = sm.reduce max %s axis 1 : tensor<64x64xf32, #apart> -> tensor<64xf32, #apart_row>
    %new = arith.maximumf %m, %top : tensor<64xf32, #apart_row>
    %growth = arith.subf %new, %m : tensor<64xf32, #apart_row>
    %far = arith.cmpf ugt, %growth, %tau : tensor<64xf32, #apart_row>
    %ref = arith.select %far, %new, %m : tensor<64xi1, #apart_row>, tensor<64xf32, #apart_row>
    %e = arith.subf %m, %ref : tensor<64xf32, #apart_row>
    %f = math.exp2 %e : tensor<64xf32, #apart_row>
    %f1 = sm.expand_dims %f axis 1 : tensor<64xf32, #apart_row> -> tensor<64x1xf32, #apart_column>
    %f2 = sm.broadcast %f1 : tensor<64x1xf32, #apart_column> -> tensor<64x64xf32, #apart>
    %scaled = arith.mulf %s, %f2 {tile.rare_factor} : tensor<64x64xf32, #apart>
    scf.yield %ref, %scaled : tensor<64xf32, #apart_row>, tensor<64x64xf32, #apart>
  }
}

// The comparison is false for NaN.

// CHECK-LABEL: sm.kernel @ordered
sm.kernel @ordered(%scale: f32, %positive: i1) grid() warps(4) {
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
    %far = arith.cmpf ogt, %growth, %tau : tensor<64xf32, #row>
    %ref = arith.select %far, %new, %m : tensor<64xi1, #row>, tensor<64xf32, #row>
    %e = arith.subf %m, %ref : tensor<64xf32, #row>
    %f = math.exp2 %e : tensor<64xf32, #row>
    %f1 = sm.expand_dims %f axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
    %f2 = sm.broadcast %f1 : tensor<64x1xf32, #column> -> tensor<64x64xf32, #s>
    %scaled = arith.mulf %s, %f2 {tile.rare_factor} : tensor<64x64xf32, #s>
    scf.yield %ref, %scaled : tensor<64xf32, #row>, tensor<64x64xf32, #s>
  }
}

// The number that is compared falls with the maximum.

// CHECK-LABEL: sm.kernel @negated
sm.kernel @negated(%scale: f32, %positive: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #s>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #row>
  %scales = tensor.splat %scale : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #row>, tensor<64x64xf32, #s>) {
    %raw = sm.reduce max %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
    %shifted = arith.addf %raw, %scales : tensor<64xf32, #row>
    %top = arith.negf %shifted : tensor<64xf32, #row>
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

// No product is marked as rare.

// CHECK-LABEL: sm.kernel @always
sm.kernel @always(%scale: f32, %positive: i1) grid() warps(4) {
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
    %scaled = arith.mulf %s, %f2 : tensor<64x64xf32, #s>
    scf.yield %ref, %scaled : tensor<64xf32, #row>, tensor<64x64xf32, #s>
  }
}

// A sum is no maximum.

// CHECK-LABEL: sm.kernel @sum
sm.kernel @sum(%scale: f32, %positive: i1) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0e30> : tensor<64xf32, #row>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #s>
  %tau = arith.constant dense<8.0> : tensor<64xf32, #row>
  %scales = tensor.splat %scale : tensor<64xf32, #row>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %low, %s = %zero) -> (tensor<64xf32, #row>, tensor<64x64xf32, #s>) {
    %top = sm.reduce sum %s axis 1 : tensor<64x64xf32, #s> -> tensor<64xf32, #row>
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
