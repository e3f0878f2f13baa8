//===- KernelReport.h - Machine resources of a kernel -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of `tilec --report`. The plan is read from the kernel when its rings
// are expanded. The work is read when the kernel first has layouts, before
// loops are split. ptxas adds its resources.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_KERNELREPORT_H
#define TESSERA_LIB_TOOLS_COMPILE_KERNELREPORT_H

#include "RingReport.h"
#include "Roofline.h"
#include "tessera/Support/LLVM.h"
#include "tessera/Target/PTX/Ptxas.h"

#include "llvm/Support/JSON.h"

namespace tessera::tools {

class KernelReport {
public:
  /// Reads the kernels of the `sm` dialect in `module`. Called after each
  /// phase; the last phase with kernels counts.
  void read(ModuleOp module);

  /// Prints the report, with the resources from ptxas if it ran.
  void print(const GpuTarget &target, const ptx::PtxasReport &ptxas,
             raw_ostream &os) const;
  /// Returns the report as an array of objects, one for each kernel.
  llvm::json::Value toJSON(const GpuTarget &target,
                           const ptx::PtxasReport &ptxas) const;

private:
  struct Kernel {
    /// Name of the symbol, which is the entry in the machine code.
    std::string name;
    int64_t threads = 0;
    int64_t sharedMemory = 0;
    /// Registers of a thread at the start, if planned; otherwise 0.
    int64_t registersAtEntry = 0;
    /// One line for each role, for the known facts about progress, for each
    /// role that holds tiles, and for each buffer, product and copy.
    std::vector<std::string> roles, progress, registers, buffers, products,
        copies;
  };
  struct Section {
    StringRef title;
    std::vector<std::string> lines;
  };

  /// Returns the lists that are not empty.
  std::vector<Section> getSections(const Kernel &kernel,
                                   const GpuTarget &target) const;

  std::vector<Kernel> kernels;
  /// Reports of roles and rings before rings are expanded, by the symbols of
  /// kernels.
  llvm::StringMap<RingReport> ringReports;
  /// By the name of the kernel in the source.
  llvm::StringMap<Roofline> rooflines;
};

/// Number of CTAs of a kernel on a multiprocessor, and its limit.
struct Occupancy {
  int64_t ctas = 0;
  StringRef limit;
};

/// Computes the occupancy. `registers` is per thread, 0 if unknown;
/// `sharedMemory` is in bytes.
Occupancy getOccupancy(const GpuTarget &target, int64_t threads,
                       int64_t registers, int64_t sharedMemory);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_KERNELREPORT_H
