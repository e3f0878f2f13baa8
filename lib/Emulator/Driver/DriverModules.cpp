//===- lib/Emulator/Driver/DriverModules.cpp - Modules and tensor maps ----===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads modules from PTX text. A kernel is decoded when it is first requested,
// so one unknown instruction does not prevent the use of other kernels.
// Unloaded modules are kept for a while, keyed by their text, since repeated
// runs load the same text.
//
//===----------------------------------------------------------------------===//

#include "DriverState.h"

#include "tessera/Emulator/Parser.h"
#include "tessera/Emulator/TensorMap.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace tessera::emu;
using namespace tessera::emu::driver;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Returns the name of a module: that of its first kernel, since modules have
/// no names.
static std::string nameModule(StringRef text) {
  StringRef rest = text;
  while (true) {
    size_t entry = rest.find(".entry");
    if (entry == StringRef::npos)
      return "module.ptx";
    rest = rest.drop_front(entry + strlen(".entry"));
    StringRef name = rest.ltrim().take_while([](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
    });
    if (!name.empty())
      return (name + ".ptx").str();
  }
}

/// Checks whether code for `target` runs on sm_90. A letter restricts the
/// target to one architecture, or to its family.
static bool isForDevice(StringRef target) {
  int number = 0;
  return target.consume_front("sm_") && !target.consumeInteger(10, number) &&
         (target.empty() ? number <= 90 : number == 90);
}

/// Number of unloaded modules that are kept.
static constexpr size_t kKeptModules = 8;

std::unique_ptr<LoadedModule> State::takeUnloaded(StringRef text) {
  auto it =
      llvm::find_if(unloaded, [&](auto &kept) { return kept->text == text; });
  if (it == unloaded.end())
    return nullptr;
  std::unique_ptr<LoadedModule> taken = std::move(*it);
  unloaded.erase(it);
  return taken;
}

CUresult driver::cuModuleLoadData(CUmodule *module, const void *image) {
  Call call;
  if (CUresult error = call.checkContext())
    return error;
  if (!image)
    return fail(kInvalidValue, "there is no image");
  const char *begin = static_cast<const char *>(image);
  // The second one is the magic number of a fat binary, which is not text
  // either.
  if (strncmp(begin,
              "\x7f"
              "ELF",
              4) == 0 ||
      strncmp(begin, "\x50\xed\x55\xba", 4) == 0)
    return fail(kNoBinaryForGpu, "the image is machine code, which the "
                                 "emulator cannot run; give it PTX");
  if (std::unique_ptr<LoadedModule> known = call->takeUnloaded(begin)) {
    *module = call->modules.add(std::move(known));
    return kSuccess;
  }
  auto loaded = std::make_unique<LoadedModule>();
  loaded->text = begin;
  loaded->name = nameModule(loaded->text);
  llvm::Expected<std::unique_ptr<Module>> parsed =
      parse(loaded->text, loaded->name);
  if (!parsed)
    return fail(kInvalidPTX, llvm::toString(parsed.takeError()));
  loaded->module = std::move(*parsed);
  if (!isForDevice(loaded->module->target))
    return fail(kNoBinaryForGpu, "the PTX is for " + loaded->module->target +
                                     "; the emulated device is sm_90");
  *module = call->modules.add(std::move(loaded));
  return kSuccess;
}

CUresult driver::cuModuleUnload(CUmodule module) {
  Call call;
  std::unique_ptr<LoadedModule> taken = call->modules.take(module);
  if (!taken)
    return fail(kInvalidHandle, "this is no module");
  for (auto &[name, function] : taken->functions) {
    call->functions.erase(function.get());
    if (function)
      function->settings = {};
  }
  call->unloaded.push_back(std::move(taken));
  if (call->unloaded.size() > kKeptModules)
    call->unloaded.pop_front();
  return kSuccess;
}

CUresult driver::cuModuleGetFunction(CUfunction *function, CUmodule module,
                                     const char *name) {
  Call call;
  if (CUresult error = call.checkContext())
    return error;
  LoadedModule *found = call->modules.find(module);
  if (!found)
    return fail(kInvalidHandle, "this is no module");
  std::unique_ptr<Function> &known = found->functions[name];
  if (!known) {
    const Kernel *kernel = found->module->findKernel(name);
    if (!kernel)
      return fail(kNotFound,
                  Twine(found->name) + " has no kernel '" + name + "'");
    // Decode a kernel on first use, so that other kernels of the module can
    // run.
    llvm::Expected<std::unique_ptr<Program>> program =
        Program::load(*found->module, *kernel);
    if (!program)
      return fail(kInvalidPTX,
                  found->name + ":" + llvm::toString(program.takeError()));
    known = std::make_unique<Function>();
    known->module = found;
    known->program = std::move(*program);
  }
  call->functions[known.get()] = known.get();
  *function = known.get();
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

CUresult driver::cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                        void *address, const uint64_t *dims,
                                        const uint64_t *strides,
                                        const uint32_t *box,
                                        const uint32_t *elementStrides,
                                        int interleave, int swizzle,
                                        int promotion, int fill) {
  if (!map || reinterpret_cast<uintptr_t>(map) % 64 != 0)
    return fail(kInvalidValue, "the tensor map must lie at a multiple of 64");
  if (rank == 0 || rank > TensorMap::kMaxRank)
    return fail(kInvalidValue, "the rank must be 1 to " +
                                   Twine(TensorMap::kMaxRank) + ", got " +
                                   Twine(rank));
  if (!dims || !box || !elementStrides || (rank > 1 && !strides))
    return fail(kInvalidValue, "an argument is null");
  if (promotion < 0 || promotion > 3)
    return fail(kInvalidValue,
                "the promotion must be 0 to 3, got " + Twine(promotion));
  TensorMap tensor;
  tensor.type = type;
  tensor.rank = rank;
  tensor.address = reinterpret_cast<uint64_t>(address);
  std::copy_n(dims, rank, tensor.dims.begin());
  if (rank > 1)
    std::copy_n(strides, rank - 1, tensor.strides.begin());
  std::copy_n(box, rank, tensor.box.begin());
  std::copy_n(elementStrides, rank, tensor.elementStrides.begin());
  tensor.interleave = interleave;
  tensor.swizzle = swizzle;
  tensor.fill = fill;
  if (llvm::Error error = tensor.verify())
    return fail(kInvalidValue, llvm::toString(std::move(error)));
  std::array<uint8_t, TensorMap::kBytes> bytes = tensor.encode();
  memcpy(map, bytes.data(), bytes.size());
  return kSuccess;
}
