//===- lib/Emulator/Driver/DriverLaunch.cpp - Launches ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch like the driver and the machine, then runs it in the calling
// thread. The call returns when the launch is complete.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera::emu;
using namespace tessera::emu::driver;

// CUlaunchAttributeID
static constexpr int kIgnored = 0;
static constexpr int kClusterAttribute = 4;
static constexpr int kOverlapsPreviousAttribute = 6;
static constexpr int kCooperativeAttribute = 2;

/// Resources of an H200, which bound the blocks of a cooperative launch:
/// multiprocessors, and for each blocks, threads and bytes of shared memory
/// (CUDA C++ Programming Guide, "Compute Capabilities"). A block takes some
/// bytes more.
static constexpr uint64_t kMultiprocessors = 132, kBlocks = 32, kThreads = 2048,
                          kBytes = 228 << 10, kBytesOfSystem = 1 << 10;
static constexpr int kPriorityAttribute = 8;

static std::string formatExtents(const unsigned (&extents)[3]) {
  return llvm::formatv("{0}x{1}x{2}", extents[0], extents[1], extents[2]).str();
}

CUresult driver::getCluster(const Function &function,
                            const CUlaunchConfig &config,
                            unsigned (&cluster)[3]) {
  const Kernel &kernel = function.getKernel();
  std::fill_n(cluster, 3, 1u);
  if (kernel.cluster[0])
    for (unsigned i = 0; i < 3; ++i)
      cluster[i] = std::max(kernel.cluster[i], 1u);
  if (config.numAttributes != 0 && !config.attributes)
    return fail(kInvalidValue, "there are no attributes");
  for (const CUlaunchAttribute &attribute :
       llvm::ArrayRef(config.attributes, config.numAttributes)) {
    switch (attribute.id) {
    case kIgnored:
    case kPriorityAttribute:
    case kOverlapsPreviousAttribute:
    case kCooperativeAttribute:
      continue;
    case kClusterAttribute:
      break;
    default:
      return fail(kNotSupported, "the emulator does not know attribute " +
                                     Twine(attribute.id) + " of launches");
    }
    if (kernel.cluster[0] &&
        !std::equal(cluster, cluster + 3, attribute.value.cluster))
      return fail(kInvalidClusterSize,
                  "the launch has clusters of " +
                      formatExtents(attribute.value.cluster) +
                      " blocks, but kernel '" + kernel.name + "' of " +
                      formatExtents(cluster));
    std::copy_n(attribute.value.cluster, 3, cluster);
  }
  uint64_t size = uint64_t(cluster[0]) * cluster[1] * cluster[2];
  unsigned most = function.settings.allowsLargeClusters ? kMaxClusterSize
                                                        : kPortableClusterSize;
  if (size == 0 || size > most)
    return fail(kInvalidClusterSize,
                "clusters have 1 to " + Twine(most) + " blocks" +
                    (most < kMaxClusterSize
                         ? " unless cuFuncSetAttribute allows more"
                         : "") +
                    ", got " + formatExtents(cluster));
  for (unsigned i = 0; i < 3; ++i)
    if (config.grid[i] % cluster[i] != 0)
      return fail(kInvalidClusterSize,
                  "a grid of " + formatExtents(config.grid) +
                      " blocks is not made of clusters of " +
                      formatExtents(cluster));
  return kSuccess;
}

static CUresult checkExtents(const char *what, const unsigned (&extents)[3],
                             const unsigned (&most)[3]) {
  for (unsigned i = 0; i < 3; ++i)
    if (extents[i] == 0 || extents[i] > most[i])
      return fail(kInvalidValue,
                  Twine("the ") + what + " has " + formatExtents(extents) +
                      "; each extent must be from 1 to " + formatExtents(most));
  return kSuccess;
}

/// Checks the configuration of a launch, and converts it for the emulator.
static CUresult makeConfig(const Function &function,
                           const CUlaunchConfig &asked, LaunchConfig &config) {
  const Kernel &kernel = function.getKernel();
  if (CUresult error = checkExtents("grid", asked.grid, kMaxGridExtent))
    return error;
  if (CUresult error = checkExtents("block", asked.block, kMaxBlockExtent))
    return error;
  uint64_t threads = uint64_t(asked.block[0]) * asked.block[1] * asked.block[2];
  if (CUresult error = checkBlock(function, threads, asked.sharedBytes))
    return error;
  if (kernel.hasExactThreads)
    for (unsigned i = 0; i < 3; ++i)
      if (asked.block[i] != std::max(kernel.maxThreads[i], 1u))
        return fail(kInvalidValue, "the block has " +
                                       formatExtents(asked.block) +
                                       " threads, but kernel '" + kernel.name +
                                       "' requires others (.reqntid)");
  if (CUresult error = getCluster(function, asked, config.cluster))
    return error;
  std::copy_n(asked.grid, 3, config.grid);
  std::copy_n(asked.block, 3, config.block);
  config.dynamicSharedBytes = asked.sharedBytes;
  auto has = [&](int id) {
    return llvm::any_of(llvm::ArrayRef(asked.attributes, asked.numAttributes),
                        [id](const CUlaunchAttribute &attribute) {
                          return attribute.id == id && attribute.value.enabled;
                        });
  };
  config.overlapsPrevious = has(kOverlapsPreviousAttribute);
  config.cooperative = has(kCooperativeAttribute);
  uint64_t blocks = uint64_t(asked.grid[0]) * asked.grid[1] * asked.grid[2];
  uint64_t bytes = asked.sharedBytes + function.program->getStaticSharedBytes();
  uint64_t most =
      kMultiprocessors * std::min({kBlocks, kThreads / threads,
                                   kBytes / (bytes + kBytesOfSystem)});
  if (config.cooperative && blocks > most)
    return fail(kCooperativeLaunchTooLarge,
                "the blocks of a cooperative launch run at the same time, at "
                "most " +
                    Twine(most) + "; got " + Twine(blocks));
  return kSuccess;
}

/// Returns a line for each finding and each note, with the source, if a line
/// table names it, and the instruction.
static std::string describe(ArrayRef<Finding> findings,
                            const LoadedModule &loaded) {
  std::string text;
  auto add = [&](const Location &where, StringRef what, StringRef kind) {
    text += (kind + toString(where, *loaded.module, loaded.name) + ": " + what)
                .str();
    if (!getSourceFile(where, *loaded.module).empty())
      text +=
          llvm::formatv(" ({0}:{1}:{2})", loaded.name, where.line, where.column)
              .str();
    text += "\n";
  };
  for (const Finding &finding : findings) {
    add(finding.where, finding.text, "");
    for (const Finding::Note &note : finding.notes)
      add(note.where, note.text, "note: ");
  }
  return text;
}

CUresult driver::cuLaunchKernelEx(const CUlaunchConfig *asked,
                                  CUfunction function, void **parameters,
                                  void **extra) {
  Call call;
  const Function *found = call->findFunction(function);
  if (!found)
    return fail(kInvalidHandle, "this is no kernel");
  if (!asked)
    return fail(kInvalidValue, "there is no configuration");
  if (CUresult error = call.checkStream(asked->stream))
    return error;
  if (extra)
    return fail(kNotSupported, "the emulator takes parameters one by one");
  LaunchConfig config;
  if (CUresult error = makeConfig(*found, *asked, config))
    return error;
  const Kernel &kernel = found->getKernel();
  std::vector<SmallVector<uint8_t, 8>> values;
  for (auto [i, parameter] : llvm::enumerate(kernel.parameters)) {
    if (!parameters || !parameters[i])
      return fail(kInvalidValue, "parameter " + Twine(i) + " of kernel '" +
                                     kernel.name + "' is missing");
    const auto *bytes = static_cast<const uint8_t *>(parameters[i]);
    values.emplace_back(bytes, bytes + parameter.bytes);
  }
  std::vector<Finding> findings;
  Statistics statistics;
  if (llvm::Error error =
          found->program->launch(config, values, call->memory,
                                 call->options.run, findings, &statistics))
    return fail(kInvalidValue, llvm::toString(std::move(error)));

  call->lastSteps = statistics.steps;
  call->lastFindings = describe(findings, *found->module);
  LaunchHandler handler = call->handler;
  const LoadedModule &loaded = *found->module;
  // The handler may allocate memory, so unlock first.
  call.unlock();
  if (handler)
    handler({*loaded.module, loaded.text, loaded.name, kernel, findings,
             statistics});
  if (findings.empty())
    return kSuccess;
  std::string text =
      toString(findings.front().where, *loaded.module, loaded.name) + ": " +
      findings.front().text;
  if (findings.size() > 1)
    text += "; and " + std::to_string(findings.size() - 1) + " more";
  return fail(kLaunchFailed, text);
}
