//===- TilecOptions.h - The options of tilec --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TILECOPTIONS_H
#define TESSERA_LIB_TOOLS_COMPILE_TILECOPTIONS_H

#include "tuning/TuningOptions.h"

#include "tessera/Pipelines/Phases.h"
#include "tessera/Tools/verify/PassVerification.h"

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

struct TilecOptions {
  llvm::cl::OptionCategory compiling{"Compiling"};
  llvm::cl::OptionCategory inspecting{"Inspecting"};
  llvm::cl::OptionCategory writing{"Output"};
  llvm::cl::OptionCategory verifying{"Verifying"};
  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("FILE.{tile,mlir}"),
      llvm::cl::Required, llvm::cl::cat(compiling)};
  llvm::cl::list<std::string> others{llvm::cl::Positional,
                                     llvm::cl::desc("[FILE...]"),
                                     llvm::cl::cat(compiling)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::desc("Output file (- is stdout)"),
      llvm::cl::value_desc("FILE"), llvm::cl::init("-"),
      llvm::cl::cat(writing)};
  llvm::cl::opt<std::string> depfile{
      "depfile",
      llvm::cl::desc("Write the files that the output depends on, as a rule "
                     "of a makefile"),
      llvm::cl::value_desc("FILE"), llvm::cl::cat(writing)};
  llvm::cl::opt<std::string> kernel{
      "kernel", llvm::cl::desc("Compile this kernel only"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(compiling)};
  llvm::cl::list<std::string> defines{
      "D", llvm::cl::desc("Set a compile-time parameter"),
      llvm::cl::value_desc("NAME=VALUE"), llvm::cl::Prefix,
      llvm::cl::cat(compiling)};
  llvm::cl::opt<std::string> emit{
      "emit",
      llvm::cl::desc(
          "Output to write: the IR after a phase, or an output such as "
          "ptx or package; --list-phases lists them (default: determined by "
          "the name of the output file, else the last phase that is the "
          "same for all targets)"),
      llvm::cl::value_desc("WHAT"), llvm::cl::cat(writing)};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::desc("GPU to compile for"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(compiling)};
  llvm::cl::opt<std::string> ptxas{"ptxas", llvm::cl::desc("The ptxas to run"),
                                   llvm::cl::value_desc("PATH"),
                                   llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> ptxOnly{
      "ptx-only",
      llvm::cl::desc("Omit machine code from packages: no ptxas is needed, and "
                     "the driver compiles the PTX"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> lineTables{
      "line-tables", llvm::cl::desc("Keep the lines of the source in the code"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> allowHazards{
      "allow-hazards",
      llvm::cl::desc(
          "Keep code whose register budgets ptxas ignores, with a warning"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> refuseHazards{
      "refuse-hazards",
      llvm::cl::desc("Refuse code that ptxas reports as slow"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<std::string> savePhases{
      "save-phases",
      llvm::cl::desc(
          "Write the IR of each phase into this folder; each file is "
          "again an input of tilec"),
      llvm::cl::value_desc("DIR"), llvm::cl::cat(inspecting)};
  llvm::cl::opt<bool> check{
      "check",
      llvm::cl::desc("Write nothing but the diagnostics of all kernels, of one "
                     "file or several"),
      llvm::cl::cat(inspecting)};
  llvm::cl::opt<std::string> html{
      "html",
      llvm::cl::desc(
          "Write a page that shows source, phases and PTX side by side, "
          "with remarks, report, shared memory and layouts; without -o "
          "and --emit the only output"),
      llvm::cl::value_desc("FILE"), llvm::cl::cat(inspecting)};
  llvm::cl::list<std::string> explain{
      "explain",
      llvm::cl::desc("Predict the time of a launch with these sizes; "
                     "without -o and --emit the only output"),
      llvm::cl::value_desc("NAME=SIZE,..."), llvm::cl::CommaSeparated,
      llvm::cl::cat(inspecting)};
  llvm::cl::opt<std::string> timeline{
      "timeline",
      llvm::cl::desc("Write what the program of --explain that takes longest "
                     "does in each cycle, as a trace for Perfetto"),
      llvm::cl::value_desc("FILE"), llvm::cl::cat(inspecting)};
  llvm::cl::opt<bool> report{
      "report",
      llvm::cl::desc("Print the resources of each kernel (to stderr)"),
      llvm::cl::cat(inspecting)};
  llvm::cl::opt<bool> listPhases{"list-phases",
                                 llvm::cl::desc("List the phases and outputs"),
                                 llvm::cl::cat(inspecting)};
  llvm::cl::opt<bool> findPtxas{
      "find-ptxas",
      llvm::cl::desc("Print the path of ptxas and its version, and exit"),
      llvm::cl::cat(inspecting)};
  llvm::cl::opt<bool> remarks{
      "remarks",
      llvm::cl::desc("Report what each pass did, and what it did not and why"),
      llvm::cl::cat(inspecting)};
  llvm::cl::opt<int64_t> fetchStages{
      "fetch-stages",
      llvm::cl::desc(
          "Slots for tiles that threads fetch in loops (1: no ring; 0: the "
          "compiler chooses)"),
      llvm::cl::value_desc("N"), llvm::cl::init(0), llvm::cl::cat(compiling)};
  llvm::cl::opt<int64_t> rasterGroup{
      "raster-group",
      llvm::cl::desc(
          "Tiles along the first axis of the grid in a band of programs "
          "(0: the compiler chooses)"),
      llvm::cl::value_desc("N"), llvm::cl::init(0), llvm::cl::cat(compiling)};
  llvm::cl::opt<int64_t> registerLeeway{
      "register-leeway",
      llvm::cl::desc(
          "Registers that the tiles of a loop of products may take above those "
          "that are certain to be free"),
      llvm::cl::value_desc("N"), llvm::cl::init(0), llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> noTrial{
      "no-trial",
      llvm::cl::desc("Schedule loops of products with the registers that are "
                     "certain to be free, without trial runs of ptxas"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> checks{
      "checks",
      llvm::cl::desc("Run `check` and `print` on the GPU; a launch waits for "
                     "their results"),
      llvm::cl::cat(compiling)};
  llvm::cl::opt<bool> locations{
      "print-locations", llvm::cl::desc("Print source locations in the IR"),
      llvm::cl::cat(inspecting)};
  TuningOptions tuning{compiling};
  enum class Configuration { Predicted, Default };
  llvm::cl::opt<Configuration> configuration{
      "configuration",
      llvm::cl::desc("Values of parameters that declare several:"),
      llvm::cl::values(
          clEnumValN(Configuration::Predicted, "predicted",
                     "those with the least predicted time for --shape or "
                     "--explain; the defaults without sizes"),
          clEnumValN(Configuration::Default, "default", "the defaults")),
      llvm::cl::init(Configuration::Predicted), llvm::cl::cat(compiling)};
  VerificationOptions verification{verifying};
  llvm::cl::opt<bool> verifyDiagnostics{
      "verify-diagnostics",
      llvm::cl::desc(
          "Check diagnostics against expected-* comments of the input"),
      llvm::cl::cat(verifying)};

  /// Returns the options of phases for a target.
  PhaseOptions getPhaseOptions(const GpuTarget *target) const {
    PhaseOptions phases;
    phases.target = target;
    phases.remarks = remarks;
    phases.fetchStages = fetchStages;
    phases.rasterGroup = rasterGroup;
    phases.registerLeeway = registerLeeway;
    phases.keepsChecks = checks;
    return phases;
  }
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TILECOPTIONS_H
