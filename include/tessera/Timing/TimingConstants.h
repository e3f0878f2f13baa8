//===- TimingConstants.h - Durations on a multiprocessor --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles of instructions and of synchronisation, as measured by
// gpu/timing/microbench.py (gpu/results/*-microbench.json).
// docs/design/clock.md explains their use. "Row" names the measurement of a
// constant; "estimate" means that none is recorded.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_TIMINGCONSTANTS_H
#define TESSERA_TIMING_TIMINGCONSTANTS_H

namespace tessera::timing {

/// For sm_90a, measured on an H200.
struct TimingConstants {
  //===--------------------------------------------------------------------===//
  // Register work: cycles of one scheduler for an instruction of a warp
  //===--------------------------------------------------------------------===//

  /// Any instruction takes one issue slot. Addresses, predicates and moves come
  /// in addition to the counted instructions; share by the machine code of
  /// forward attention (sass.py).
  double issue = 1.25;
  /// Rows ffma, fmul, fadd: 1.03.
  double fma = 1;
  /// Rows fmax2, lop, convert, select (two instructions): 2.03 for each one.
  double alu = 2;
  /// Row iadd: 1.03.
  double add = 1;
  /// Row imad: 2.01.
  double integerProduct = 2;
  /// Rows ex2, log2: 8.0.
  double special = 8;
  /// Row shuffle: 4.04; its latency is 24.
  double shuffle = 4, shuffleLatency = 24;
  /// Latency of an instruction before a wait. Rows ffma, fmax2: 4. Row ex2: 17.
  double latency = 20;

  //===--------------------------------------------------------------------===//
  // MMAs of a warpgroup
  //===--------------------------------------------------------------------===//

  /// Multiplications of a multiprocessor per cycle in 16 bits. Row product,
  /// n = 256: 128.2 cycles for 64 x 256 x 16.
  double mmaRate = 2048;
  /// Cycles of a wgmma of n columns are at least n / 2. With A in shared memory
  /// they are at least 16 + n / 4: 18.2, 20.2 and 24.2 in rows n = 8, 16, 32.
  /// With A in registers they are at least 13.5 (rows n = 8, 16).
  double mmaSharedBase = 16, mmaSharedPerColumn = 0.25, mmaRegisterBase = 13.5;
  /// From the last cycle of a group to the warps that await it. Rows "product
  /// awaited" minus "product issued", group of 1, minus n / 2: 43 to 46.
  double mmaLatency = 44;
  /// From the issue to the first cycle on the tensor cores; estimate. With A in
  /// registers, one warpgroup drains after 16 products, which takes 70 to 108
  /// cycles in all.
  double mmaStart = 30;
  /// wgmmas that are in flight; the warpgroups of the multiprocessor share the
  /// places. The issue of another one blocks the warpgroup. Rows "product
  /// issued" and "awaited", group of 16: about 7 of one warpgroup. Two
  /// warpgroups have half of the places each (gpu/experiments/trace_events.py).
  double mmaQueue = 7;

  /// Register work and MMAs slow each other down (rows "product" and "work"
  /// during fma, n = 64, 128, 256). While an MMA runs, an instruction takes 1.4
  /// to 1.76 cycles of the scheduler instead of 1.03. If the schedulers are
  /// busy, each wgmma takes 10 to 14 cycles more.
  double issueBesideMma = 1.55, mmaBesideIssue = 12;
  /// Cycles of a warpgroup before the first wgmma of a group: descriptors,
  /// WARPGROUP.ARRIVE; estimate.
  double mmaSetup = 30;

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Bytes per cycle of a multiprocessor. Rows "shared load", "shared store",
  /// "stmatrix": 127.5. Operands of MMAs do not count (row "shared load 16
  /// during bf16 n=64": 112 bytes per cycle together with the products).
  double sharedRate = 128;
  /// Cycles from a load to its use; estimate.
  double sharedLatency = 30;
  /// Row "proxy fence", stores = 8: 204 cycles with 64 cycles of stores, and
  /// the drain of the stores.
  double fence = 75;

  //===--------------------------------------------------------------------===//
  // Synchronisation
  //===--------------------------------------------------------------------===//

  /// Row "mbarrier hand-over": 70.6 cycles from one warp to the other.
  double mbarrier = 70;
  /// A wait for a phase that is complete, by trace_events.py: 55 to 70.
  double readyWait = 60;
  /// Row "named barrier", hand-over: 43.3; two warpgroups meet: 40.7;
  /// one: 20.7.
  double handOver = 43, meeting = 41, ownMeeting = 21;
  /// A barrier of the grid, by grid_barriers.py with 132 programs: 0.82 us at
  /// 1980 MHz.
  double gridMeeting = 1600;

  //===--------------------------------------------------------------------===//
  // Global memory, by multiprocessor
  //===--------------------------------------------------------------------===//

  /// Latency of a copy by the copy engine. Products of 512x512x65536 with four
  /// slots of 16 to 48 KB wait 1000 to 1200 cycles for each slot, and products
  /// on all multiprocessors alike. Row "copy latency" has 390 for 256 bytes
  /// that are in L2.
  double copyLatency = 1100;
  /// Bytes per cycle of one multiprocessor. The product of 512x512x65536 with
  /// slots of 48 KB: 75. Row "copy rate", all CTAs, 16 384 bytes: 63 for the
  /// same pieces, 33.6 for own pieces. Tiles are shared by many CTAs.
  double copyRate = 76;
  /// The same for rows that are no multiple of 32 bytes, so that they begin in
  /// the middle of a sector of L2. Products of 4000x5000x3000.
  double shiftedCopyRate = 26;
  /// Bytes per cycle that threads copy to shared memory: by cp.async in rows of
  /// multiples of 16 bytes, by shifts of vectors in others. Products of
  /// 4096x50257x2048 and of 4097x4099x4101.
  double fetchRate = 18, shiftedFetchRate = 8;
  /// Latency of such a copy for which the threads wait; estimate.
  double fetchLatency = 600;
  /// Row "load latency": 285 from L2, 681 from memory. Memory that is busy
  /// takes longer, as in `copyLatency`.
  double loadLatency = 290, memoryLatency = 1100;
  /// Bytes per cycle of loads by threads. The same pieces for all CTAs;
  /// estimate. Own pieces from L2, row "copy rate", all CTAs: 33.
  double threadRate = 64, ownRate = 33;
  /// Bytes per cycle of stores by threads. Softmax of 8192x8192 in one tile for
  /// each row reads and writes 134 MB each in 64.8 us.
  double writeRate = 15;
  /// Instructions for each element of a load or store in rows that need not be
  /// aligned: shifts, limits, stores one by one. The time of softmax and layer
  /// norm of 8192x4097 grows by 46 and 90 cycles of a scheduler for each
  /// element of a tile.
  double unalignedAccess = 10;
  /// Of these, the ALU executes comparisons, selections and shifts: in the
  /// machine code of softmax, 90 and 108 for 16 elements.
  double unalignedAlu = 6;
  /// Cycles for each element in which a warp waits for its own results in these
  /// instructions. Softmax and layer norm of 4096x12289 in 24 configurations.
  double unalignedStall = 80;
  /// The share of all this for tensors of one dimension, which need no shifts.
  double unalignedLine = 0.5;
  /// From the start of a tensor store until its buffer in shared memory can be
  /// written again. Fitted to products with tiles of 128x256, which wait once
  /// for their two buffers.
  double storeLatency = 1000;
  /// Size of L2, by the data sheet.
  double l2Bytes = 50e6;
  /// Row "bulk add rate", all CTAs: 16.2 bytes per cycle.
  double addRate = 16.2;
  /// Whole tensors pass at 4.1 TB/s at most (softmax of 8192x8192, products of
  /// 64x8192x8192): bytes of a multiprocessor per cycle of `frequency`. Row
  /// "copy rate", all CTAs, memory: 18.8, of pieces that are in L2 in part.
  double memoryRate = 16;
  /// The time of the slowest CTA of a static persistent grid, relative to its
  /// predicted time. Forward attention without a mask: static grids take 0 to
  /// 3.8 % longer than dynamic ones (configurations "persistent" and "dynamic"
  /// in gpu/results).
  double slowestCta = 1.02;
  /// The end of a dynamic grid, in programs of mean length: the CTAs end within
  /// one program of each other, and the last programs are the shortest. Fitted
  /// to the same measurements.
  double raggedEnd = 0.25;
  /// Start and end of a CTA; estimate.
  double ctaStart = 1000, ctaEnd = 300;

  //===--------------------------------------------------------------------===//
  // Power
  //===--------------------------------------------------------------------===//

  /// The frequency in Hz, which the chip lowers to stay within its power: at
  /// most `frequency`, and `freeFrequency` less `frequencyLoss` times the
  /// energy of a cycle. Source: counters of eight kernels of gradients: 1.80
  /// GHz if the tensor cores are busy for 62 % of the time, 1.69 for 77.5 %.
  double frequency = 1.98e9, freeFrequency = 2.25e9, frequencyLoss = 0.72e9;
  /// The energy of a cycle of the tensor cores, of a byte that a wgmma reads in
  /// shared memory, and of a byte that the copy engine brings. They are 1
  /// together for tiles of 128x256. Fitted to the frequencies of
  /// gpu/experiments/product_clocks.py.
  double mmaEnergy = 0.54, operandEnergy = 0.0028, copyEnergy = 0.0049;
  /// The energy of an issue slot of the four schedulers. Fitted to the counters
  /// of gradients.
  double issueEnergy = 0.12;
};

} // namespace tessera::timing

#endif // TESSERA_TIMING_TIMINGCONSTANTS_H
