// RUN: tilec %s --emit=expand --report -o /dev/null 2>&1 | FileCheck %s

// What is proven of roles that wait for each other, and what is not. Those that certainly wait for ever are in
// progress-invalid.mlir.

!t = !sm.smem<64x64xbf16, swizzle = 128>
module attributes {tile.phase = "draw"} {
// CHECK-LABEL: kernel 'other_order'
// CHECK:         progress:
// CHECK-NEXT:      proven that no role waits for ever, for all numbers of iterations
sm.kernel @other_order(%x: !tile.global<[M, 64] x bf16>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<1 x [!t]>
  %b = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c64 {
      %s = sm.ring.acquire %a : !sm.ring<1 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
      %q = sm.ring.acquire %b : !sm.ring<2 x [!t]>
      %qt = sm.slot.tile %q[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %qt : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %q : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %runs = arith.cmpi slt, %c0, %m : index
    scf.if %runs {
      %first = sm.ring.wait %b : !sm.ring<2 x [!t]>
      %last = scf.for %i = %c64 to %m step %c64 iter_args(%q = %first) -> (!sm.slot<[!t]>) {
        %s = sm.ring.wait %a : !sm.ring<1 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
        %next = sm.ring.wait %b : !sm.ring<2 x [!t]>
        sm.ring.release %q : !sm.slot<[!t]>
        scf.yield %next : !sm.slot<[!t]>
      }
      %s = sm.ring.wait %a : !sm.ring<1 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
      sm.ring.release %last : !sm.slot<[!t]>
    }
  }
}

// CHECK-LABEL: kernel 'enough_stages'
// CHECK:         progress:
// CHECK-NEXT:      proven that no role waits for ever, for all numbers of iterations
sm.kernel @enough_stages(%x: !tile.global<[M, 64] x bf16>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c64 {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%i, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %runs = arith.cmpi slt, %c0, %m : index
    scf.if %runs {
      %first = sm.ring.wait %a : !sm.ring<2 x [!t]>
      %last = scf.for %i = %c64 to %m step %c64 iter_args(%s = %first) -> (!sm.slot<[!t]>) {
        %next = sm.ring.wait %a : !sm.ring<2 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
        scf.yield %next : !sm.slot<[!t]>
      }
      sm.ring.release %last : !sm.slot<[!t]>
    }
  }
}

// Steps and bounds are other numbers, and nobody knows how they are related.
// CHECK-LABEL: kernel 'other_bound'
// CHECK:         progress:
// CHECK-NEXT:      not proven that no role waits for ever (tile-run --device sim tests a launch): {{.*}}'math' waits at {{.*}} for 'load', which has ended if roles go different ways at
sm.kernel @other_bound(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c64 {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %n step %c64 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// A loop with half of the steps.
// CHECK-LABEL: kernel 'other_step'
// CHECK:         progress:
// CHECK-NEXT:      not proven that no role waits for ever (tile-run --device sim tests a launch): 
sm.kernel @other_step(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %m step %c128 {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %m step %c64 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// A condition that only one role has.
// CHECK-LABEL: kernel 'own_condition'
// CHECK:         progress:
// CHECK-NEXT:      not proven that no role waits for ever (tile-run --device sim tests a launch): 
sm.kernel @own_condition(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.if %c {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %c1 step %c1 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// The same condition, computed twice.
// CHECK-LABEL: kernel 'same_condition'
// CHECK:         progress:
// CHECK-NEXT:      proven that no role waits for ever, for all numbers of iterations
sm.kernel @same_condition(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    %l = sm.load %flag[%c0] dims [] : !tile.global<[1] x i32>, index -> i32
    %i = arith.index_cast %l : i32 to index
    %r = arith.remui %i, %n : index
    %p = arith.cmpi eq, %r, %c0 : index
    scf.if %p {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %l = sm.load %flag[%c0] dims [] : !tile.global<[1] x i32>, index -> i32
    %i = arith.index_cast %l : i32 to index
    %r = arith.remui %i, %n : index
    %p = arith.cmpi eq, %r, %c0 : index
    scf.if %p {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// The same loads, from a tensor that changes meanwhile.
// CHECK-LABEL: kernel 'read_twice'
// CHECK:         progress:
// CHECK-NEXT:      not proven that no role waits for ever (tile-run --device sim tests a launch): 
sm.kernel @read_twice(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    %l = sm.load %mutable[%c0] dims [] : !tile.global<[1] x i32, inout>, index -> i32
    %i = arith.index_cast %l : i32 to index
    scf.for %k = %c0 to %i step %c1 {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %l = sm.load %mutable[%c0] dims [] : !tile.global<[1] x i32, inout>, index -> i32
    %i = arith.index_cast %l : i32 to index
    scf.for %k = %c0 to %i step %c1 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// Bounds as sums in another order, and one iteration less from a later start.
// CHECK-LABEL: kernel 'sums'
// CHECK:         progress:
// CHECK-NEXT:      proven that no role waits for ever, for all numbers of iterations
sm.kernel @sums(%x: !tile.global<[M, 64] x bf16>, %n: index, %c: i1, %flag: !tile.global<[1] x i32>, %mutable: !tile.global<[1] x i32, inout>) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    %e = arith.addi %n, %m : index
    scf.for %i = %c0 to %e step %c64 {
      %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
      %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
      sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
      sm.ring.commit %s : !sm.slot<[!t]>
    }
  }
  sm.role "math" warps(4) {
    %e = arith.addi %m, %n : index
    %f = arith.addi %e, %c64 : index
    scf.for %i = %c64 to %f step %c64 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// Only the first five iterations fill a slot.
// CHECK-LABEL: kernel 'first_iterations'
// CHECK:         progress:
// CHECK-NEXT:      not proven that no role waits for ever (tile-run --device sim tests a launch): 
sm.kernel @first_iterations(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %p = arith.cmpi slt, %i, %c5 : index
      scf.if %p {
        %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
        %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
        sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
        sm.ring.commit %s : !sm.slot<[!t]>
      }
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %n step %c1 {
      %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
      sm.ring.release %s : !sm.slot<[!t]>
    }
  }
}

// The same condition in both roles, on an otherwise unknown index.
// CHECK-LABEL: kernel 'same_iterations'
// CHECK:         progress:
// CHECK-NEXT:      proven that no role waits for ever, for all numbers of iterations
sm.kernel @same_iterations(%x: !tile.global<[M, 64] x bf16>, %n: index) grid() warps(8) form(scheduled) {
  %a = sm.ring.alloc : !sm.ring<2 x [!t]>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %m = tile.size M
  sm.role "load" warps(4) elected {
    scf.for %i = %c0 to %n step %c1 {
      %p = arith.cmpi slt, %i, %c5 : index
      scf.if %p {
        %s = sm.ring.acquire %a : !sm.ring<2 x [!t]>
        %st = sm.slot.tile %s[0] : !sm.slot<[!t]>
        sm.copy.start %x[%c0, %c0] dims [0, 1] limits(%m, %c64) into %st : !tile.global<[M, 64] x bf16>, index, index, !t
        sm.ring.commit %s : !sm.slot<[!t]>
      }
    }
  }
  sm.role "math" warps(4) {
    scf.for %i = %c0 to %n step %c1 {
      %p = arith.cmpi sgt, %c5, %i : index
      scf.if %p {
        %s = sm.ring.wait %a : !sm.ring<2 x [!t]>
        sm.ring.release %s : !sm.slot<[!t]>
      }
    }
  }
}

}
