// RUN: tile-opt %s --split-input-file --verify-diagnostics --sm-plan="remarks" -o /dev/null

// Loads of loops of products that stay where they are; a kernel with others has roles all the same.

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x16xbf16, swizzle = 32>
!row = tensor<32xf32, #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
!short = tensor<16xf32, #sm.layout<"16 = register[2*(1) 2*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
!at = tensor<32xi32, #sm.layout<"32 = register[2*(1) 4*(8)] lane[4*(2) 8*(0)] warp[4*(0)]">>
!wide = tensor<64x16xf32, #acc>
#pieces = #sm.layout<"64x64 = register[8*(0,1) 4*(16,0)] lane[8*(0,8) 4*(1,0)] warp[4*(4,0)]">
!tile = tensor<64x64xbf16, #pieces>
!columns = tensor<64xi32, #sm.layout<"64 = register[8*(1)] lane[8*(8) 4*(0)] warp[4*(0)]">>
!places = tensor<64xi32, #sm.layout<"64 = register[4*(16)] lane[8*(0) 4*(1)] warp[4*(4)]">>
sm.kernel @loads(%x: !tile.global<[N, 64] x bf16>, %s: !tile.global<[N, 32] x f32>, %z: !tile.global<[N, 15] x f32>,
                 %g: !tile.global<[N, 64] x i32>, %v: !tile.global<[N, 64, 64] x bf16>,
                 %o: !tile.global<[N, 64] x bf16, out>, %y: !tile.global<[N, 32] x f32, inout>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %N = tile.size N
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
  %at = arith.constant dense<0> : !at
  %columns = arith.constant dense<0> : !columns
  %places = arith.constant dense<0> : !places
  %b = sm.scratch : !b
  scf.for %i = %c0 to %N step %c64 {
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %d = sm.mma %t, %b, %zero : !a, !b, tensor<64x16xf32, #acc>
    // expected-remark @below {{no other role runs ahead with this load: the kernel writes this tensor}}
    %l0 = sm.load %y[%i, %c0] dims [1] limits(%c32) : !tile.global<[N, 32] x f32, inout>, index, index -> !row
    // expected-warning @below {{kernel 'loads' is likely to be slow: its products wait for this load in each step of their loop, since what is not valid there is not zero [unstaged-load]}}
    %l1 = sm.load %x[%i, %c0] dims [0, 1] limits(%N, %c64) fill(-1.0 : bf16) : !tile.global<[N, 64] x bf16>, index, index -> !tile
    // expected-warning @below {{in each step of their loop, since 64 threads do not share the 32 pieces of its 32 rows evenly [unstaged-load]}}
    %l2 = sm.load %s[%i, %at] dims [1] limits(%c32) : !tile.global<[N, 32] x f32>, index, !at -> !row
    // expected-remark @below {{no other role runs ahead with this load: slots of 64 bytes do not begin at multiples of 128 bytes}}
    %l3 = sm.load %s[%i, %c0] dims [1] limits(%c16) : !tile.global<[N, 32] x f32>, index, index -> !short
    // expected-warning @below {{since rows of 15 elements do not start at multiples of 16 bytes [unstaged-load]}}
    %l4 = sm.load %z[%i, %c0] dims [0, 1] limits(%N, %c15) : !tile.global<[N, 15] x f32>, index, index -> !wide
    %none = tensor.extract %d[%c0, %c0] : tensor<64x16xf32, #acc>
    %f = arith.fptosi %none : f32 to i32
    %k = arith.index_cast %f : i32 to index
    // expected-remark @below {{no other role runs ahead with this load: its position or whether it is done depends on a tile}}
    %l5 = sm.load %s[%k, %c0] dims [1] limits(%c32) : !tile.global<[N, 32] x f32>, index, index -> !row
    // expected-warning @below {{since it gathers otherwise than by rows [unstaged-load]}}
    %l6 = sm.load %x[%i, %columns] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, !columns -> !tile
    // expected-warning @below {{since it gathers along several dimensions [unstaged-load]}}
    %l7 = sm.load %x[%places, %columns] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, !places, !columns -> !tile
    %rows = sm.load %g[%c0, %c0] dims [0] limits(%N) : !tile.global<[N, 64] x i32>, index, index -> !places
    // expected-warning @below {{since the last dimension of the tile is not that of the tensor [unstaged-load]}}
    %l8 = sm.load %v[%rows, %i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64, 64] x bf16>, !places, index, index -> !tile
    %s1 = arith.addf %l2, %l5 : !row
    %s2 = arith.addf %l0, %s1 : !row
    %t0 = arith.addf %l1, %l6 : !tile
    %t1 = arith.addf %l7, %l8 : !tile
    %t2 = arith.addf %t0, %t1 : !tile
    sm.store %t2 to %o[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile, !tile.global<[N, 64] x bf16, out>, index, index
    sm.store %s2 to %y[%i, %c0] dims [1] limits(%c32) : !row, !tile.global<[N, 32] x f32, inout>, index, index
    sm.store %l3 to %y[%i, %c0] dims [1] limits(%c16) : !short, !tile.global<[N, 32] x f32, inout>, index, index
    // expected-remark @below {{this store is no tensor copy: the kernel may read the tensor that it writes}}
    sm.store %l4 to %y[%i, %c0] dims [0, 1] limits(%N, %c16) : !wide, !tile.global<[N, 32] x f32, inout>, index, index
  }
}

// -----
// A tile for which two stages of all rings are too much.

#acc = #sm.layout<"64x256 = register[2*(0,1) 2*(8,0) 32*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
!a = !sm.smem<64x64xbf16, swizzle = 128>
!b = !sm.smem<64x256xbf16, swizzle = 128>
!bias = tensor<64x256xf32, #acc>
sm.kernel @bias(%x: !tile.global<[N, 64] x bf16>, %w: !tile.global<[N, 256] x bf16>, %bias: !tile.global<[N, 256] x f32>,
                %y: !tile.global<[N, 256] x f32, out>) grid() warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %N = tile.size N
  scf.for %i = %c0 to %N step %c64 {
    %s = sm.scratch : !sm.smem<128x128xf32>
    %t = sm.fetch %x[%i, %c0] dims [0, 1] limits(%N, %c64) : !tile.global<[N, 64] x bf16>, index, index -> !a
    %u = sm.fetch %w[%i, %c0] dims [0, 1] limits(%N, %c256) : !tile.global<[N, 256] x bf16>, index, index -> !b
    // expected-warning @below {{since rings of it and of what products take do not fit into the 166272 bytes of shared memory that are left [unstaged-load]}}
    %l = sm.load %bias[%i, %c0] dims [0, 1] limits(%N, %c256) : !tile.global<[N, 256] x f32>, index, index -> !bias
    %d = sm.mma %t, %u, %l : !a, !b, !bias
    // expected-remark @below {{this store is no tensor copy: its buffers would take shared memory from the slots of rings}}
    sm.store %d to %y[%i, %c0] dims [0, 1] limits(%N, %c256) : !bias, !tile.global<[N, 256] x f32, out>, index, index
  }
}
