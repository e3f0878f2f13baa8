// REQUIRES: ptxas
// RUN: tile-opt %s --sm-place-fences --convert-sm-to-nvvm | tile-ptx --emit=cubin --report -o /dev/null 2>&1 | FileCheck %s

// A softmax of rows, and what else a simple kernel holds, is accepted by ptxas and spills nothing.

#acc = #sm.layout<"64x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
#blocked = #sm.layout<"64x128 = register[8*(0,1) 8*(8,0)] lane[16*(0,8) 2*(1,0)] warp[4*(2,0)]">
#row = #sm.layout<"64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]">
#column = #sm.layout<"64x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[4*(16,0)]">

// CHECK: softmax: {{.*}} 0 bytes stack, 0 + 0 bytes spilled
sm.kernel @softmax(%x: !tile.global<[M, N] x bf16>, %y: !tile.global<[M, N] x bf16, out>)
    grid(m in tiles(M, 64)) warps(4) form(expanded) shared(32768) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %p = sm.program_id
  %i = arith.muli %p, %c64 : index
  %m = tile.size M
  %n = tile.size N
  %t = sm.load %x[%i, %c0] dims [0, 1] limits(%m, %n) fill(0xFF80 : bf16) : !tile.global<[M, N] x bf16>, index, index -> tensor<64x128xbf16, #blocked>
  %a = sm.convert %t {sm.scratch_address = 0 : i64} : tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #acc>
  %f = arith.extf %a : tensor<64x128xbf16, #acc> to tensor<64x128xf32, #acc>
  %max = sm.reduce max %f axis 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #row>
  %maxc = sm.expand_dims %max axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
  %maxb = sm.broadcast %maxc : tensor<64x1xf32, #column> -> tensor<64x128xf32, #acc>
  %d = arith.subf %f, %maxb : tensor<64x128xf32, #acc>
  %e = math.exp %d : tensor<64x128xf32, #acc>
  %sum = sm.reduce sum %e axis 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #row>
  %sumc = sm.expand_dims %sum axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #column>
  %sumb = sm.broadcast %sumc : tensor<64x1xf32, #column> -> tensor<64x128xf32, #acc>
  %q = arith.divf %e, %sumb : tensor<64x128xf32, #acc>
  %h = arith.truncf %q : tensor<64x128xf32, #acc> to tensor<64x128xbf16, #acc>
  %s = sm.convert %h {sm.scratch_address = 0 : i64} : tensor<64x128xbf16, #acc> -> tensor<64x128xbf16, #blocked>
  sm.store %s to %y[%i, %c0] dims [0, 1] limits(%m, %n) : tensor<64x128xbf16, #blocked>, !tile.global<[M, N] x bf16, out>, index, index
}
