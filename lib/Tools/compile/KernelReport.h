//===- KernelReport.h - What a kernel takes of the machine ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of `tilec --report`. What was planned is read from the kernel when
// it is expanded, and what there is to do when it first has layouts, before
// loops are split; ptxas adds what it made of that.
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
  /// Reads the kernels of the `sm` dialect in `module`; called after each
  /// phase, the last one that has kernels counts.
  void read(ModuleOp module);

  /// Prints what was read, with what ptxas found if it ran.
  void print(const GpuTarget &target, const ptx::PtxasReport &ptxas,
             raw_ostream &os) const;
  /// The same as an array of objects, one for each kernel.
  llvm::json::Value toJSON(const GpuTarget &target,
                           const ptx::PtxasReport &ptxas) const;

private:
  struct Kernel {
    /// Of the symbol, which is the entry in the machine code.
    std::string name;
    int64_t threads = 0;
    int64_t sharedMemory = 0;
    /// Registers of a thread at the start, if planned; otherwise 0.
    int64_t registersAtEntry = 0;
    /// One line for each role, for what is known of their progress, for each
    /// role that holds tiles, and for each buffer, product and copy.
    std::vector<std::string> roles, progress, registers, buffers, products,
        copies;
  };
  struct Section {
    StringRef title;
    std::vector<std::string> lines;
  };

  /// The lists that say something.
  std::vector<Section> getSections(const Kernel &kernel,
                                   const GpuTarget &target) const;

  std::vector<Kernel> kernels;
  /// What is known of roles and rings while there are rings, by the symbols of
  /// kernels.
  llvm::StringMap<RingReport> ringReports;
  /// By the name of the kernel in the source.
  llvm::StringMap<Roofline> rooflines;
};

/// CTAs of a kernel that a multiprocessor holds, and what limits them.
struct Occupancy {
  int64_t ctas = 0;
  StringRef limit;
};

/// `registers` per thread, 0 if unknown; `sharedMemory` in bytes.
Occupancy getOccupancy(const GpuTarget &target, int64_t threads,
                       int64_t registers, int64_t sharedMemory);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_KERNELREPORT_H
