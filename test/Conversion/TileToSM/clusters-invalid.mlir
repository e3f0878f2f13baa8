// RUN: tile-opt %s --tile-to-sm -split-input-file -verify-diagnostics

// Clusters that no sizes permit.

// expected-error @below {{`cluster` goes along 2 axes, but CTAs of a cluster are neighbours along one; expected one size above 1}}
tile.kernel @plane(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 16), %h in 8) schedule<cluster = [2, 2]> {
}

// -----

// expected-error @below {{`cluster` goes along axis 1, expected one of the 1 axes of the grid}}
tile.kernel @no_axis(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 16)) schedule<cluster = [1, 2]> {
}

// -----

// expected-error @below {{`cluster` has 16 CTAs, expected at most 8}}
tile.kernel @large(%x: !tile.global<[M] x f32>) grid(%m in tiles(M, 16)) schedule<cluster = [16]> {
}
