// Draws of programs, and words that roles hand over.
// DEFINE: %{run} = tile-run %s --device sim --multiprocessors 2 --arg 'x=zeros(5, 64)' --arg 'y=zeros(5)'
// RUN: %{run} --kernel right --expect 'y=ones(5)'
// RUN: %{run} --kernel right --expect 'y=ones(5)' --order early
// RUN: %{run} --kernel right --expect 'y=ones(5)' --order late
// RUN: %{run} --kernel right --expect 'y=ones(5)' --seeds 8
// RUN: %{run} --kernel right --expect 'y=ones(5)' --seeds 8 --phase expand
// RUN: not %{run} --kernel unended 2>&1 | FileCheck %s --check-prefix=UNENDED
// RUN: not %{run} --kernel after_end 2>&1 | FileCheck %s --check-prefix=AFTER-END
// RUN: not %{run} --kernel other_count 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not %{run} --kernel forgotten 2>&1 | FileCheck %s --check-prefix=FORGOTTEN
// RUN: not %{run} --kernel index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not %{run} --kernel unordered --seeds 4 2>&1 | FileCheck %s --check-prefix=UNORDERED

!x = !tile.global<[H, 64] x f32>
!y = !tile.global<[H] x f32, inout>
module attributes {tile.phase = "draw"} {
  // Each program adds one to its element: it is run once.
  sm.kernel @right(%x: !x, %y: !y) grid(h in H) warps(5) persistent form(scheduled) {
    %H = tile.size H
    %first = sm.program_id
    %q = sm.queue.alloc : !sm.queue<2>
    sm.role "load" warps(1) elected {
      scf.while (%n = %first) : (index) -> index {
        %more = arith.cmpi slt, %n, %H : index
        scf.condition(%more) %n : index
      } do {
      ^bb0(%p: index):
        %next = sm.next_program of %H
        sm.queue.push %next to %q : !sm.queue<2>
        scf.yield %next : index
      }
    }
    sm.role "math" warps(4) {
      %one = arith.constant 1.0 : f32
      scf.while (%n = %first) : (index) -> index {
        %more = arith.cmpi slt, %n, %H : index
        scf.condition(%more) %n : index
      } do {
      ^bb0(%p: index):
        sm.atomic add %one to %y[%p] dims [] : f32, !y, index
        %next = sm.queue.pop %q : !sm.queue<2>
        scf.yield %next : index
      }
    }
  }

  // UNENDED: draws.mlir:[[#@LINE+5]]:{{[0-9]+}}: error: CTA 0 ends before it has drawn the number that is the end: the counter would not be 0 for the next launch
  sm.kernel @unended(%x: !x, %y: !y) grid(h in H) warps(1) persistent form(scheduled) {
    %H = tile.size H
    %first = sm.program_id
    sm.role "load" warps(1) elected {
      %next = sm.next_program of %H
    }
  }

  // AFTER-END: error: draws a program after the number that was the end: the counter would not be 0 for the next launch
  sm.kernel @after_end(%x: !x, %y: !y) grid(h in H) warps(1) persistent form(scheduled) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %H = tile.size H
    sm.role "load" warps(1) elected {
      scf.for %i = %c0 to %H step %c1 {
        %next = sm.next_program of %H
      }
    }
  }

  // COUNT: error: draws one of 4 programs, but the grid has 5
  sm.kernel @other_count(%x: !x, %y: !y) grid(h in H) warps(1) persistent form(scheduled) {
    %c4 = arith.constant 4 : index
    sm.role "load" warps(1) elected {
      %next = sm.next_program of %c4
    }
  }

  // The number of roles' pops and pushes is known, so that no machine is needed.
  // FORGOTTEN: error: 'sm.queue.pop' op waits for ever: role 'math' waits here for role 'load'
  // FORGOTTEN: note: role 'load' ends without it
  sm.kernel @forgotten(%x: !x, %y: !y) grid(h in H) warps(5) form(scheduled) {
    %H = tile.size H
    %q = sm.queue.alloc : !sm.queue<2>
    sm.role "load" warps(1) elected {
      sm.queue.push %H to %q : !sm.queue<2>
    }
    sm.role "math" warps(4) {
      %a = sm.queue.pop %q : !sm.queue<2>
      %b = sm.queue.pop %q : !sm.queue<2>
    }
  }

  // INDEX: error: the index of the word is 2, of 2
  sm.kernel @index(%x: !x, %y: !y) grid(h in H) warps(1) form(expanded) shared(8) {
    %i = arith.constant 2 : i32
    %w = sm.words.alloc at 0 : !sm.words<2>
    sm.words.store %i to %w[%i] : !sm.words<2>
  }

  // UNORDERED: error: race: warp 0 (role 'load') writes byte 0 of shared memory, and nothing orders this and what warp 4 reads there
  sm.kernel @unordered(%x: !x, %y: !y) grid(h in H) warps(5) form(expanded) shared(8) {
    %i = arith.constant 0 : i32
    %w = sm.words.alloc at 0 : !sm.words<2>
    sm.role "load" warps(1) elected {
      sm.words.store %i to %w[%i] : !sm.words<2>
    }
    sm.role "math" warps(4) {
      %n = sm.words.load %w[%i] : !sm.words<2>
    }
  }
}
