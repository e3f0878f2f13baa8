//===- PtxasHazards.cpp - Silent performance losses -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only table of hazards. Texts are those of ptxas 13.0 to 13.5. A row is
// found by a substring of the message. If one substring contains another, the
// longer one comes first.
//
//===----------------------------------------------------------------------===//

#include "PtxasHazards.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera::ptx;
using llvm::StringRef;

static constexpr PtxasHazard kHazards[] = {
    // setmaxnreg is ignored: the roles keep the registers of the entry.
    {"unable to determine register count at entry", "C7508",
     HazardEffect::BudgetsIgnored,
     "state the threads of a block (.maxntid or .reqntid) and a least number "
     "of blocks per multiprocessor (.minnctapersm 1) on the kernel"},
    {"ignored to maintain minimum register requirements", "",
     HazardEffect::BudgetsIgnored,
     "a role needs more registers than its budget leaves it: raise its "
     "budget or shrink its tile",
     /*isOfRegisters=*/true},
    {"ignored to maintain compatibility into 'extern' call", "",
     HazardEffect::BudgetsIgnored, "inline the function that is called"},
    {"ignored to maintain compatibility across compilation units", "",
     HazardEffect::BudgetsIgnored,
     "assemble the kernel as a whole program, not as a relocatable object"},
    {"ignored to allow debugging", "", HazardEffect::BudgetsIgnored,
     "assemble without debug information; line tables are allowed"},
    // wgmma is serialised: every product waits for the one before it.
    {"due to the presence of Extern calls", "", HazardEffect::Serialised,
     "inline the function that is called"},
    {"due to wgmma pipeline crossing function boundary", "",
     HazardEffect::Serialised,
     "inline the function that is called between the fence and the wait"},
    {"due to insufficient register resources for the wgmma pipeline", "C7512",
     HazardEffect::Serialised,
     "the kernel spills inside the pipeline: keep accumulators, fragments of A "
     "and about 25 more below the register budget of the role",
     /*isOfRegisters=*/true},
    {"due to insufficient register resources for the function", "C7512",
     HazardEffect::Serialised,
     "keep accumulators, fragments of A and about 25 more below the register "
     "budget of the role",
     /*isOfRegisters=*/true},
    {"due to non wgmma instructions defining input registers", "C7513",
     HazardEffect::Serialised,
     "define the registers of an A fragment only after the wait that retires "
     "the product that reads their old value"},
    {"due to non wgmma instructions reading accumulator registers", "C7514",
     HazardEffect::Serialised,
     "wait for a product before its accumulators are read, and do not carry a "
     "product in flight over the back edge of a loop that reads them"},
    {"due to non wgmma instructions defining accumulator registers", "C7515",
     HazardEffect::Serialised,
     "issue wgmma.fence after the accumulators are written and before the "
     "product, and write none of them until it is waited for"},
    {"due to ill formed pipeline stage", "", HazardEffect::Serialised,
     "put fence, products, commit and wait of a stage on every path in this "
     "order"},
    {"program dependence on compiler-inserted WG.DP in divergent path", "",
     HazardEffect::Serialised,
     "wait for the products on a path that all warps of the warpgroup take"},
    {"program dependence on compiler-inserted WG.AR in divergent path", "",
     HazardEffect::Serialised,
     "put wgmma.fence on a path that all warps of the warpgroup take"},
    // A fence or a wait is inserted.
    {"warpgroup.arrive is injected", "", HazardEffect::Waits,
     "issue wgmma.fence before the first product that uses registers written "
     "by other instructions"},
    {"warpgroup.wait is injected", "C7517", HazardEffect::Waits,
     "wait for the group of a product before its accumulators are read"},
    {"wgmma.wait_group is injected", "C7517", HazardEffect::Waits,
     "wait for the group of a product before its accumulators are read"},
};

llvm::ArrayRef<PtxasHazard> tessera::ptx::getPtxasHazards() { return kHazards; }

const PtxasHazard *tessera::ptx::findPtxasHazard(StringRef message) {
  for (const PtxasHazard &hazard : kHazards)
    if (message.contains(hazard.text))
      return &hazard;
  return nullptr;
}

bool tessera::ptx::isPtxasHazard(StringRef code, StringRef message) {
  return code.starts_with("C75") ||
         message.contains("Potential Performance Loss") ||
         findPtxasHazard(message);
}
