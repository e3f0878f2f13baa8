//===- RunOptions.h - The options of a run ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command-line options that all tools which run kernels share, on any
// device.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_RUNOPTIONS_H
#define TESSERA_TOOLS_LAUNCH_RUNOPTIONS_H

#include "tessera/Tools/OptionRules.h"

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

/// The kernel and its arguments.
struct ArgumentOptions {
  explicit ArgumentOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  OptionList getOptions() const { return {kernel, args, seed, gpu}; }

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> kernel{
      "kernel", llvm::cl::desc("The kernel to run (default: the only one)"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> args{
      "arg",
      llvm::cl::desc(
          "An argument: file.npy, @file, randn(…), rand(…), "
          "randint(lo, hi, …), zeros(…), ones(…), full(x, …), arange(n), a "
          "number, or (…) for the shape of an output"),
      llvm::cl::value_desc("NAME=SPEC"), llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seed{"seed",
                               llvm::cl::desc("Seed of generated arguments"),
                               llvm::cl::init(0), llvm::cl::cat(category)};
  llvm::cl::opt<int> gpu{"gpu", llvm::cl::desc("Number of the CUDA device"),
                         llvm::cl::value_desc("N"), llvm::cl::init(0),
                         llvm::cl::cat(category)};
};

/// The uses of the results.
struct ResultOptions {
  explicit ResultOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  OptionList getOptions() const {
    return {saves, prints, plot, expects, relative, absolute, rms, time};
  }

  llvm::cl::OptionCategory &category;
  llvm::cl::list<std::string> saves{
      "save", llvm::cl::desc("Write a tensor to a file (narrow floats as f32)"),
      llvm::cl::value_desc("NAME=FILE.npy"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> prints{"print", llvm::cl::desc("Print a tensor"),
                                     llvm::cl::value_desc("NAME"),
                                     llvm::cl::cat(category)};
  llvm::cl::opt<std::string> plot{
      "plot",
      llvm::cl::desc("Draw what the kernel writes, as a file or as text"),
      llvm::cl::value_desc("FILE.svg|FILE.png|-"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> expects{
      "expect",
      llvm::cl::desc("Compare a tensor with a file, or with a generated array"),
      llvm::cl::value_desc("NAME=SPEC"), llvm::cl::cat(category)};
  llvm::cl::opt<double> relative{
      "rtol",
      llvm::cl::desc(
          "Relative tolerance per element (default: by element type)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<double> absolute{
      "atol",
      llvm::cl::desc(
          "Absolute tolerance per element (default: by element type)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<double> rms{
      "rms",
      llvm::cl::desc("Compare by relative RMS error instead of per element"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> time{"time",
                           llvm::cl::desc("Print how long the run took"),
                           llvm::cl::cat(category)};
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_RUNOPTIONS_H
