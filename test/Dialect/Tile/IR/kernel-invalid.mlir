// RUN: tile-opt %s -split-input-file -verify-diagnostics

// C1
// expected-error @below {{'tile.kernel' op expected parameter 'x' to be a global tensor or a scalar, got 'tensor<4xf32>'}}
tile.kernel @parameter_type_c1(%x: tensor<4xf32>) grid() {
}

// -----

// C1: f80 is no element type.
// expected-error @below {{'tile.kernel' op expected parameter 'x' to be a global tensor or a scalar, got 'f80'}}
tile.kernel @scalar_type_c1(%x: f80) grid() {
}

// -----

// C2
// expected-error @below {{'tile.kernel' op expected 'x-y' to be an identifier}}
"tile.kernel"() <{sym_name = "identifier_c2", param_names = ["x-y"], grid = []}> ({
^bb0(%x: f32):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// C2
// expected-error @below {{'tile.kernel' op has two parameters or axes named 'x'}}
"tile.kernel"() <{sym_name = "duplicate_c2", param_names = ["x", "x"], grid = []}> ({
^bb0(%x: f32, %y: f32):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// C3, in an axis
// expected-error @below {{'tile.kernel' op uses the size 'N', which no parameter binds; expected a dimension of the form 'N' or an 'index' parameter of that name}}
tile.kernel @unbound_axis_c3(%x: !tile.global<[M] x f32>) grid(%n in tiles(N, 16)) {
}

// -----

// C3, in a dimension: a product binds nothing.
// expected-error @below {{'tile.kernel' op uses the size 'M', which no parameter binds}}
tile.kernel @unbound_dimension_c3(%x: !tile.global<[2 * M] x f32>) grid() {
}

// -----

// C3, in the body
tile.kernel @unbound_size_c3(%N: i32) grid() {
  // expected-error @below {{'tile.size' op uses the size 'N', which no parameter binds}}
  %n = tile.size N
}

// -----

// C4
// expected-error @below {{'tile.kernel' op expected 2 block arguments (2 parameters, 0 grid axes), got 1}}
"tile.kernel"() <{sym_name = "arguments_c4", param_names = ["x", "y"], grid = []}> ({
^bb0(%x: f32):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

// C4
// expected-error @below {{'tile.kernel' op expected the argument of axis 'm' to be '!tile.range<16>', got 'index'}}
"tile.kernel"() <{sym_name = "axis_type_c4", param_names = [], grid = [#tile.axis<m in tiles(64, 16)>]}> ({
^bb0(%m: index):
  "tile.return"() : () -> ()
}) : () -> ()

// -----

tile.kernel @empty_axis(%x: f32)
    // expected-error @below {{expected tiles of at least 1 element}}
    grid(%m in tiles(64, 0)) {
}

// -----

tile.kernel @negative_axis(%x: f32)
    // expected-error @below {{expected the extents of a tile to be at least 1, got -4}}
    grid(%m in tiles(64, -4)) {
}

// -----

// expected-error @below {{expected a grid axis to have a name}}
"tile.kernel"() <{sym_name = "axis_name", param_names = [], grid = [#tile.axis<"" in 4>]}> ({
}) : () -> ()

// -----

// expected-error @below {{expected 'warpgroups' from 1 to 3, got 4}}
tile.kernel @warpgroups() grid() schedule<warpgroups = 4> {
}

// -----

// expected-error @below {{expected 'stages' from 1 to 16, got 17}}
tile.kernel @stages() grid() schedule<stages = 17> {
}

// -----

// expected-error @below {{expected 'cluster' sizes from 1 to 16, got 0}}
tile.kernel @cluster_size() grid() schedule<cluster = [0]> {
}

// -----

// expected-error @below {{expected at most 16 CTAs in a cluster, got 32}}
tile.kernel @cluster_product() grid() schedule<cluster = [8, 4]> {
}

// -----

// expected-error @below {{expected 'cluster' to have at most 3 sizes, got 4}}
tile.kernel @cluster_rank() grid() schedule<cluster = [1, 1, 1, 1]> {
}

// -----

// expected-error @below {{expected 'registers' to be a multiple of 8 from 24 to 256, got 100}}
tile.kernel @registers() grid() schedule<registers = 100> {
}

// -----

// expected-error @below {{unknown schedule field 'threads'; expected warpgroups, warps, stages, cluster, registers, exchange, mma_order, late_stores, pingpong, persistent or dynamic}}
tile.kernel @field() grid() schedule<threads = 4> {
}

// -----

// expected-error @below {{expected 'warps' to be 1, 2 or 16, got 4}}
tile.kernel @warps() grid() schedule<warps = 4> {
}

// -----

// expected-error @below {{expected 'warps' or 'warpgroups', got both}}
tile.kernel @both() grid() schedule<warpgroups = 1, warps = 2> {
}

// -----

// expected-error @below {{expected 'warps' without 'exchange', 'mma_order', 'late_stores' and 'pingpong', which are for warpgroups}}
tile.kernel @few() grid() schedule<warps = 2, exchange = 2> {
}

// -----

// expected-error @below {{expected 'exchange' from 1 to 2, got 3}}
tile.kernel @exchange() grid() schedule<exchange = 3> {
}

// -----

// expected-error @below {{expected 'mma_order' without 'late_stores' and 'pingpong', which have their own orders}}
tile.kernel @two_orders() grid() schedule<mma_order = 1, late_stores = true> {
}

// -----

// expected-error @below {{expected 'mma_order' from 1 to 8, got 9}}
tile.kernel @ninth_order() grid() schedule<mma_order = 9> {
}

// -----

// expected-error @below {{expected 'late_stores' with 'exchange' of 2 slots}}
tile.kernel @late_stores() grid() schedule<exchange = 1, late_stores = true> {
}

// -----

// expected-error @below {{expected 'dynamic' with 'persistent' only}}
tile.kernel @dynamic() grid() schedule<dynamic = true> {
}

// -----

// expected-error @below {{expected 'pingpong' of one warpgroup with 'persistent' only}}
tile.kernel @alone() grid() schedule<warpgroups = 1, pingpong = true> {
}

// -----

// expected-error @below {{'stages' is given twice}}
tile.kernel @twice() grid() schedule<stages = 2, stages = 3> {
}

// -----

// expected-error @below {{expected 'false' or 'true'}}
tile.kernel @flag() grid() schedule<pingpong = 1> {
}
