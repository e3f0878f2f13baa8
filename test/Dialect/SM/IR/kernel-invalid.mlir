// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected 'planned', 'scheduled', 'expanded' or 'fenced', got 'done'}}
sm.kernel @form() grid() warps(4) form(done) {
}

// -----

// expected-error @below {{'sm.kernel' op expected parameter 'x' to be a global tensor or a scalar, got 'tensor<4xf32>'}}
sm.kernel @parameter_c1(%x: tensor<4xf32>) grid() warps(4) {
}

// -----

// expected-error @below {{'sm.kernel' op expected 2 block arguments, one per parameter, got 1}}
"sm.kernel"() <{sym_name = "arguments_c2", param_names = ["a", "b"], grid = [], warps = 4 : i64}> ({
^bb0(%a: f32):
  "sm.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'sm.kernel' op has two parameters named 'a'}}
"sm.kernel"() <{sym_name = "names_c2", param_names = ["a", "a"], grid = [], warps = 4 : i64}> ({
^bb0(%a: f32, %b: f32):
  "sm.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'sm.kernel' op expected 1 to 32 warps, got 33}}
sm.kernel @warps_c3() grid() warps(33) {
}

// -----

// expected-error @below {{'sm.kernel' op expected the warps of its roles to sum to 12, got 8}}
sm.kernel @sum_c3() grid() warps(12) {
  sm.role "math" warps(8) {
  }
}

// -----

// 32 + 240 + 240 registers hang where 24 + 240 + 240 run.
// expected-error @below {{'sm.kernel' op asks for 2048 registers in its roles, summed over warps; a launch of 12 warps allocates 2016 (168 per thread), and the last warpgroup would wait for ever}}
sm.kernel @registers_c4() grid() warps(12) {
  sm.role "load" warps(4) registers(32) {
  }
  sm.role "math" warps(8) registers(240) {
  }
}

// -----

sm.kernel @budget_c4() grid() warps(8) {
  sm.role "load" warps(1) registers(40) elected {
  }
  // expected-error @below {{'sm.role' op shares its warpgroup with a role of 40 registers; expected the same budget, got 232}}
  sm.role "math" warps(7) registers(232) {
  }
}

// -----

sm.kernel @role_warps() grid() warps(4) {
  // expected-error @below {{'sm.role' op expected at least one warp, got 0}}
  sm.role "math" warps(0) {
  }
}

// -----

sm.kernel @role_registers_c2() grid() warps(4) {
  // expected-error @below {{'sm.role' op expected a multiple of 8 registers from 24 to 256, got 100}}
  sm.role "math" warps(4) registers(100) {
  }
}

// -----

sm.kernel @role_in_role_c1() grid() warps(4) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.role' op expects parent op 'sm.kernel'}}
    sm.role "inner" warps(4) {
    }
  }
}

// -----

// A role sees nothing of another one.
sm.kernel @values_of_roles() grid() warps(8) {
  sm.role "a" warps(4) {
    %p = sm.program_id
  }
  sm.role "b" warps(4) {
    // expected-error @below {{use of undeclared SSA value name}}
    %q = arith.addi %p, %p : index
  }
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @layout_of_kernel(%i: index) grid() warps(8) {
  // expected-error @below {{'sm.indices' op expected a layout over the 8 warps of the kernel, got 4 in 'tensor<128xi32}}
  %t = sm.indices %i : tensor<128xi32, #line>
}

// -----

#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
sm.kernel @layout_of_role_c3(%i: index) grid() warps(12) {
  sm.role "load" warps(4) {
    %t = sm.indices %i : tensor<128xi32, #line>
  }
  sm.role "math" warps(8) {
    // expected-error @below {{'arith.constant' op expected a layout over the 8 warps of the role 'math', got 4 in 'tensor<128xf32}}
    %z = arith.constant dense<0.0> : tensor<128xf32, #line>
  }
}

// -----

// A tile from beside the roles belongs to all warps.
#all = #sm.layout<"256 = lane[32*(1)] warp[8*(32)]">
sm.kernel @tile_from_beside(%x: !tile.global<[N] x i32, out>, %i: index) grid() warps(8) {
  %t = sm.indices %i : tensor<256xi32, #all>
  sm.role "a" warps(4) {
    // expected-error @below {{'sm.store' op expected a layout over the 4 warps of the role 'a', got 8 in 'tensor<256xi32}}
    sm.store %t to %x[%i] dims [0] limits(%i) : tensor<256xi32, #all>, !tile.global<[N] x i32, out>, index
  }
  sm.role "b" warps(4) {
  }
}

// -----

#acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
sm.kernel @layout_of_pending() grid() warps(8) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op expected a layout over the 8 warps of the kernel, got 4 in 'tensor<64x16xf32}}
  %p = builtin.unrealized_conversion_cast to !sm.pending<tensor<64x16xf32, #acc>>
}

// -----

sm.kernel @without_layout() grid() warps(4) {
  // expected-error @below {{'arith.constant' op expected tiles in registers to have a layout, got 'tensor<4xf32>'}}
  %z = arith.constant dense<0.0> : tensor<4xf32>
}

// -----

#line = #sm.layout<"32 = lane[32*(1)]">
sm.kernel @tile_in_elected(%i: index) grid() warps(1) {
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.indices' op holds a tile, 'tensor<32xi32, #sm.layout<"32 = lane[32*(1)]">>', but only one thread executes the role 'load'}}
    %t = sm.indices %i : tensor<32xi32, #line>
  }
}

// -----

sm.kernel @barrier_in_elected() grid() warps(1) {
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.barrier' op takes all threads, but only one executes the role 'load'}}
    sm.barrier
  }
}

// -----

sm.kernel @scratch_alignment() grid() warps(4) {
  // expected-error @below {{'sm.scratch' op expected an address in multiples of 1024 bytes, got 512}}
  %s = sm.scratch at 512 : !sm.smem<64x64xbf16, swizzle = 128>
}

// -----

sm.kernel @mbarrier_alignment() grid() warps(4) {
  // expected-error @below {{'sm.mbarrier.alloc' op expected an address in multiples of 8 bytes, got 4}}
  %s = sm.mbarrier.alloc arrivals(1) at 4 : !sm.mbarrier<2>
}

// -----

sm.kernel @stages_end() grid() warps(4) shared(32768) {
  // expected-error @below {{'sm.slots.alloc' op has no room for its 32768 bytes at address 1024; the kernel has 32768 bytes of shared memory}}
  %s = sm.slots.alloc at 1024 : !sm.slots<4 x !sm.smem<64x64xbf16, swizzle = 128>>
}

// -----

sm.kernel @negative_address() grid() warps(4) {
  %s = "sm.scratch"() <{address = 0 : i64}> : () -> !sm.smem<64xf32>
  // expected-error @below {{'sm.scratch' op expected an address in multiples of 128 bytes, got -128}}
  %t = "sm.scratch"() <{address = -128 : i64}> : () -> !sm.smem<64xf32>
}

// -----

// expected-error @below {{'sm.kernel' op has 1 axes, but a cluster along 2}}
sm.kernel @cluster_axes(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) cluster(1, 2) {
}

// -----

// expected-error @below {{'sm.kernel' op expected clusters of 1 to 8 CTAs, got 16}}
sm.kernel @cluster_size(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) cluster(16) {
}

// -----

// expected-error @below {{'sm.kernel' op expected a cluster along one axis, got 2}}
sm.kernel @cluster_plane(%x: !tile.global<[M, N] x f32>) grid(m in tiles(M, 64), n in tiles(N, 64)) warps(4) cluster(2, 2) {
}

// -----

sm.kernel @no_cluster() grid() warps(4) {
  // expected-error @below {{'sm.cluster.barrier' op has to do with other CTAs of a cluster; expected a kernel with 'cluster(…)'}}
  sm.cluster.barrier
}

// -----

sm.kernel @cluster_in_role(%x: !tile.global<[M] x f32>) grid(m in tiles(M, 64)) warps(4) cluster(2) {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.cluster.barrier' op expected to be in kernel scope, outside of roles}}
    sm.cluster.barrier
  }
}

// -----

sm.kernel @arrive(%i: i32) grid() warps(4) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) : !sm.mbarrier<2>
  // expected-error @below {{'sm.mbarrier.arrive' op has to do with other CTAs of a cluster}}
  sm.mbarrier.arrive %b[%i] cluster : !sm.mbarrier<2>
}

// -----

sm.kernel @copy(%x: !tile.global<[M, K] x bf16>, %i: index) grid() warps(4) {
  %r = sm.ring.alloc : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
  sm.role "load" warps(4) elected {
    %M = tile.size M
    %K = tile.size K
    %s = sm.ring.acquire %r : !sm.ring<4 x [!sm.smem<64x64xbf16, swizzle = 128>]>
    %t = sm.slot.tile %s[0] : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
    // expected-error @below {{'sm.copy.start' op has to do with other CTAs of a cluster}}
    sm.copy.start %x[%i, %i] dims [0, 1] limits(%M, %K) into %t multicast : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>
    sm.ring.commit %s : !sm.slot<[!sm.smem<64x64xbf16, swizzle = 128>]>
  }
}

// -----

sm.kernel @load(%x: !tile.global<[M, K] x bf16>, %k: index, %i: i32) grid() warps(1) form(expanded) {
  %b = sm.mbarrier.alloc arrivals(1) at 0 : !sm.mbarrier<4>
  %s = sm.scratch at 1024 : !sm.smem<64x64xbf16, swizzle = 128>
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.tma.load' op has to do with other CTAs of a cluster}}
    sm.tma.load %x[%k, %k] dims [0, 1] in_bounds [true, true] limits(%k, %k) into %s signal %b[%i] multicast : !tile.global<[M, K] x bf16>, index, index, !sm.smem<64x64xbf16, swizzle = 128>, !sm.mbarrier<4>
  }
}

// -----

sm.kernel @draw_role_c1(%x: !tile.global<[M] x f32>, %n: index) grid(m in tiles(M, 64)) warps(4) persistent {
  sm.role "math" warps(4) {
    // expected-error @below {{'sm.next_program' op expected to be in an elected role}}
    %p = sm.next_program of %n
  }
}

// -----

sm.kernel @draw_kernel_c1(%x: !tile.global<[M] x f32>, %n: index) grid(m in tiles(M, 64)) warps(1) {
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.next_program' op expected a persistent kernel without clusters}}
    %p = sm.next_program of %n
  }
}

// -----

sm.kernel @draw_cluster_c1(%x: !tile.global<[M] x f32>, %n: index) grid(m in tiles(M, 64)) warps(1) cluster(2) persistent {
  sm.role "load" warps(1) elected {
    // expected-error @below {{'sm.next_program' op expected a persistent kernel without clusters}}
    %p = sm.next_program of %n
  }
}

// -----

sm.kernel @grid_barrier_c1() grid(m in tiles(M, 64)) warps(1) cluster(2) {
  // expected-error @below {{'sm.barrier' op waits for the grid; expected a kernel without clusters that is not persistent}}
  sm.barrier grid
}

// -----

sm.kernel @grid_barrier_roles_c1() grid() warps(2) {
  sm.role "a" warps(1) {
    // expected-error @below {{'sm.barrier' op waits for the grid; expected one role with such barriers}}
    sm.barrier grid
  }
  sm.role "b" warps(1) {
    // expected-note @below {{one of another role is here}}
    sm.barrier grid
  }
}
