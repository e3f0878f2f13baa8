//===- SpecialRegisters.cpp - Registers that PTX declares -----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecialRegisters.h"

#include "llvm/ADT/STLExtras.h"

namespace tessera::emu::parsing {

using llvm::StringRef;

static constexpr StringRef kVectors[] = {
    "%tid",       "%ntid",       "%ctaid",         "%nctaid",
    "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid",
};

static constexpr StringRef kScalars[] = {
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};

/// Checks for a name like "%envreg7": `prefix` and a number below `count`.
static bool isNumbered(StringRef name, StringRef prefix, unsigned count) {
  unsigned number = 0;
  return name.consume_front(prefix) &&
         (name == "0" || !name.starts_with("0")) &&
         !name.getAsInteger(10, number) && number < count;
}

bool isSpecialVector(StringRef name) {
  return llvm::is_contained(kVectors, name);
}

bool isSpecialRegister(StringRef name) {
  if (isSpecialVector(name) || llvm::is_contained(kScalars, name) ||
      isNumbered(name, "%envreg", 32) ||
      isNumbered(name, "%reserved_smem_offset_", 2))
    return true;
  // %pm0 to %pm7, of 32 bits and of 64.
  name.consume_back("_64");
  return isNumbered(name, "%pm", 8);
}

} // namespace tessera::emu::parsing
