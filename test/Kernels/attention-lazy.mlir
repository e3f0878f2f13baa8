// Attention forward written at the level of `sm`, D = 128, without a mask: what the passes do
// not derive yet. Two warpgroups of 64 rows take turns at the tensor cores; the scores of a block
// and the product of the block before are in flight together; O and the sums are rescaled only
// where a row's maximum has grown by more than 8 in the exponent (of base 2), which a vote of the
// warp makes a rare branch: p stays below 2^8, and o = acc / den does not change.
//
// N must be a multiple of 128. CTAs are persistent and draw their blocks of queries, heads one after
// the other: the role that loads draws when its last copy for a block is on its way.
//
// RUN: tilec %s --emit=package -o %t.tpk --report 2>&1 | FileCheck %s
// REQUIRES: ptxas
//
// CHECK: kernel 'attention': 384 threads
// CHECK: 0 + 0 bytes spilled
// CHECK: 'load': 4 warps, 24 registers, one thread
// CHECK: 'math': 8 warps, 240 registers

#s = #sm.layout<"128x128 = register[2*(0,1) 2*(8,0) 16*(0,8)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
#row = #sm.layout<"128 = register[2*(8)] lane[4*(0) 8*(1)] warp[8*(16)]">
#column = #sm.layout<"128x1 = register[2*(8,0)] lane[4*(0,0) 8*(1,0)] warp[8*(16,0)]">
#kept = #sm.layout<"128x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]">
!q = !sm.smem<128x128xbf16, swizzle = 128>
!ring1 = !sm.ring<2 x [!q]>
!ring2 = !sm.ring<2 x [!q]>
!slot = !sm.slot<[!q]>
!S = tensor<128x128xf32, #s>
!P = tensor<128x128xbf16, #s>
!row = tensor<128xf32, #row>
!column = tensor<128x1xf32, #column>
!kept = tensor<128x8xf32, #kept>
module attributes {tile.phase = "overlap"} {
  sm.kernel @attention(%q: !tile.global<[H, M, 128] x bf16>, %k: !tile.global<[H, N, 128] x bf16>,
                       %v: !tile.global<[H, N, 128] x bf16>, %o: !tile.global<[H, M, 128] x bf16, out>,
                       %scale: f32)
      grid(m in tiles(M, 128), h in H) warps(12) persistent form(scheduled) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %M = tile.size M
    %N = tile.size N
    %H = tile.size H
    %blocks = tile.size N ceildiv 128
    %tiles = tile.size M ceildiv 128
    %programs = arith.muli %tiles, %H : index
    %first = sm.program_id
    %rq = sm.ring.alloc : !ring1
    %rk = sm.ring.alloc : !ring2
    %rv = sm.ring.alloc : !ring2
    %numbers = sm.queue.alloc : !sm.queue<2>
    sm.role "load" warps(4) registers(24) elected {
      scf.while (%number = %first) : (index) -> index {
        %more = arith.cmpi slt, %number, %programs : index
        scf.condition(%more) %number : index
      } do {
      ^bb0(%p: index):
        %mt = arith.remui %p, %tiles : index
        %h = arith.divui %p, %tiles : index
        %m0 = arith.muli %mt, %c128 : index
        %sq = sm.ring.acquire %rq : !ring1
        %tq = sm.slot.tile %sq[0] : !slot
        sm.copy.start %q[%h, %m0, %c0] dims [1, 2] limits(%M, %c128) into %tq : !tile.global<[H, M, 128] x bf16>, index, index, index, !q
        sm.ring.commit %sq : !slot
        scf.for %j = %c0 to %blocks step %c1 {
          %n0 = arith.muli %j, %c128 : index
          %sk = sm.ring.acquire %rk : !ring2
          %tk = sm.slot.tile %sk[0] : !slot
          sm.copy.start %k[%h, %n0, %c0] dims [1, 2] limits(%N, %c128) into %tk : !tile.global<[H, N, 128] x bf16>, index, index, index, !q
          sm.ring.commit %sk : !slot
          %sv = sm.ring.acquire %rv : !ring2
          %tv = sm.slot.tile %sv[0] : !slot
          sm.copy.start %v[%h, %n0, %c0] dims [1, 2] limits(%N, %c128) into %tv : !tile.global<[H, N, 128] x bf16>, index, index, index, !q
          sm.ring.commit %sv : !slot
        }
        %next = sm.next_program of %programs
        sm.queue.push %next to %numbers : !sm.queue<2>
        scf.yield %next : index
      }
    }
    sm.role "math" warps(8) registers(240) {
      %zero = arith.constant dense<0.0> : !S
      %log2e = arith.constant 1.44269504 : f32
      %c = arith.mulf %scale, %log2e : f32
      %cS = tensor.splat %c : !S
      %cRow = tensor.splat %c : !row
      %cKept = tensor.splat %c : !kept
      %eight = arith.constant dense<8.0> : !kept
      sm.pingpong.start
      scf.while (%number = %first) : (index) -> index {
        %more = arith.cmpi slt, %number, %programs : index
        scf.condition(%more) %number : index
      } do {
      ^bb0(%p: index):
        %mt = arith.remui %p, %tiles : index
        %h = arith.divui %p, %tiles : index
        %m0 = arith.muli %mt, %c128 : index
        %slotq = sm.ring.wait %rq : !ring1
        %tq = sm.slot.tile %slotq[0] : !slot
        // The first block: no product of P to go with it.
        %k0 = sm.ring.wait %rk : !ring2
        %tk0 = sm.slot.tile %k0[0] : !slot
        sm.pingpong.wait
        %s0 = sm.mma.issue %tq, %tk0, %zero transpose_b : !q, !q, !S
        sm.pingpong.pass
        %S0 = sm.mma.await %s0 : !sm.pending<!S>
        sm.ring.release %k0 : !slot
        %m_0 = sm.reduce max %S0 axis 1 : !S -> !row
        %mc0 = arith.mulf %m_0, %cRow : !row
        %neg0 = arith.negf %mc0 : !row
        %negc0 = sm.expand_dims %neg0 axis 1 : !row -> !column
        %negS0 = sm.broadcast %negc0 : !column -> !S
        %x0 = math.fma %S0, %cS, %negS0 : !S
        %p0 = math.exp2 %x0 : !S
        %l0 = sm.reduce sum %p0 axis 1 keep 8 : !S -> !kept
        %P0 = arith.truncf %p0 : !S to !P
        %r:4 = scf.for %j = %c1 to %blocks step %c1
            iter_args(%m = %m_0, %l = %l0, %acc = %zero, %P = %P0) -> (!row, !kept, !S, !P) {
          %ks = sm.ring.wait %rk : !ring2
          %tk = sm.slot.tile %ks[0] : !slot
          sm.pingpong.wait
          %s = sm.mma.issue %tq, %tk, %zero transpose_b : !q, !q, !S
          %vs = sm.ring.wait %rv : !ring2
          %tv = sm.slot.tile %vs[0] : !slot
          %a = sm.mma.issue %P, %tv, %acc : !P, !q, !S
          sm.pingpong.pass
          %S = sm.mma.await %s leave 1 : !sm.pending<!S>
          sm.ring.release %ks : !slot
          %A = sm.mma.await %a : !sm.pending<!S>
          sm.ring.release %vs : !slot
          // With the old maximum, which is off the critical path.
          %mc = arith.mulf %m, %cRow : !row
          %neg = arith.negf %mc : !row
          %negc = sm.expand_dims %neg axis 1 : !row -> !column
          %negS = sm.broadcast %negc : !column -> !S
          %x = math.fma %S, %cS, %negS : !S
          %pe = math.exp2 %x : !S
          %ps = sm.reduce sum %pe axis 1 keep 8 : !S -> !kept
          %Pn = arith.truncf %pe : !S to !P
          %ln = arith.addf %l, %ps : !kept
          %pm = sm.reduce max %S axis 1 keep 8 : !S -> !kept
          %mcol = sm.expand_dims %m axis 1 : !row -> !column
          %mk = sm.broadcast %mcol : !column -> !kept
          %d = arith.subf %pm, %mk : !kept
          %dc = arith.mulf %d, %cKept : !kept
          %far = arith.cmpf ogt, %dc, %eight : !kept
          %any = sm.any %far : tensor<128x8xi1, #kept>
          %n:4 = scf.if %any -> (!row, !kept, !S, !P) {
            %mb = sm.reduce max %pm axis 1 : !kept -> !row
            %mn = arith.maximumf %m, %mb : !row
            %dm = arith.subf %m, %mn : !row
            %dmc = arith.mulf %dm, %cRow : !row
            %f = math.exp2 %dmc : !row
            %fc = sm.expand_dims %f axis 1 : !row -> !column
            %fS = sm.broadcast %fc : !column -> !S
            %fK = sm.broadcast %fc : !column -> !kept
            %A2 = arith.mulf %A, %fS : !S
            %mnc = arith.mulf %mn, %cRow : !row
            %nneg = arith.negf %mnc : !row
            %nnegc = sm.expand_dims %nneg axis 1 : !row -> !column
            %nnegS = sm.broadcast %nnegc : !column -> !S
            %x2 = math.fma %S, %cS, %nnegS : !S
            %p2 = math.exp2 %x2 : !S
            %ps2 = sm.reduce sum %p2 axis 1 keep 8 : !S -> !kept
            %P2 = arith.truncf %p2 : !S to !P
            %l2 = math.fma %l, %fK, %ps2 : !kept
            scf.yield %mn, %l2, %A2, %P2 : !row, !kept, !S, !P
          } else {
            scf.yield %m, %ln, %A, %Pn : !row, !kept, !S, !P
          }
          scf.yield %n#0, %n#1, %n#2, %n#3 : !row, !kept, !S, !P
        }
        sm.ring.release %slotq : !slot
        %vl = sm.ring.wait %rv : !ring2
        %tvl = sm.slot.tile %vl[0] : !slot
        %al = sm.mma.issue %r#3, %tvl, %r#2 : !P, !q, !S
        %lsum = sm.reduce sum %r#1 axis 1 : !kept -> !row
        %one = arith.constant dense<1.0> : !row
        %inv = arith.divf %one, %lsum : !row
        %invc = sm.expand_dims %inv axis 1 : !row -> !column
        %invS = sm.broadcast %invc : !column -> !S
        %O = sm.mma.await %al : !sm.pending<!S>
        sm.ring.release %vl : !slot
        %on = arith.mulf %O, %invS : !S
        %ob = arith.truncf %on : !S to !P
        sm.tma.store %ob to %o[%h, %m0, %c0] dims [1, 2] limits(%M, %c128) columns 64 buffers 2 : !P, !tile.global<[H, M, 128] x bf16, out>, index, index, index
        %next = sm.queue.pop %numbers : !sm.queue<2>
        scf.yield %next : index
      }
    }
  }
}
