//===- MachineLoops.cpp - Spills in loops of machine code -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds loops in machine code by backward branches, and counts instructions in
// the innermost ones. It decodes only a part of the encoding of sm_90, as
// nvdisasm -hex shows it. An instruction has 16 bytes, and its low 12 bits are
// the opcode. A branch has its distance from its end, in words of 4 bytes, in
// bits 16 to 23 and from 34 on. gpu/machine_code/sass.py reads more, from the
// text of nvdisasm.
//
//===----------------------------------------------------------------------===//

#include "MachineLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

static constexpr uint64_t kBytes = 16;
static constexpr unsigned kBranch = 0x947, kExit = 0x94d, kSpillStore = 0x387,
                          kSpillLoad = 0x983;
/// Common bits of the opcodes of HGMMA, QGMMA and IGMMA.
static constexpr unsigned kProductMask = 0x1ff,
                          kProducts[] = {0x1f0, 0x1f1, 0x1f3};

namespace {
/// The instructions from `first` to `last`, which jumps back to the first one.
struct Loop {
  int64_t first, last;
};
} // namespace

static unsigned getOpcode(StringRef code, int64_t index) {
  return llvm::support::endian::read64le(code.data() + kBytes * index) & 0xfff;
}

/// Returns the instruction to which the branch at `index` jumps.
static int64_t getBranchTarget(StringRef code, int64_t index) {
  const char *bytes = code.data() + kBytes * index;
  uint64_t low = llvm::support::endian::read64le(bytes);
  uint64_t high = llvm::support::endian::read64le(bytes + 8);
  uint64_t words =
      (low >> 34 | (high & 0x3ffff) << 30) << 8 | (low >> 16 & 255);
  return index + 1 + llvm::SignExtend64<56>(words) * 4 / int64_t(kBytes);
}

/// Returns the section of the code of `kernel`, or an empty text.
static StringRef findCode(StringRef cubin, StringRef kernel) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(cubin);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto sections = file->sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return {};
  }
  for (const auto &section : *sections) {
    llvm::Expected<StringRef> name = file->getSectionName(section);
    auto contents = file->getSectionContents(section);
    if (name && contents && *name == (".text." + kernel).str())
      return llvm::toStringRef(*contents);
    llvm::consumeError(name.takeError());
    llvm::consumeError(contents.takeError());
  }
  return {};
}

int64_t tessera::ptx::countSpillsInLoops(StringRef cubin, StringRef kernel) {
  StringRef code = findCode(cubin, kernel);
  int64_t count = code.size() / kBytes;
  llvm::SmallVector<int64_t> spills, products;
  llvm::SmallVector<Loop> loops;
  int64_t exit = 0;
  for (int64_t index = 0; index < count; ++index) {
    unsigned opcode = getOpcode(code, index);
    if (opcode == kSpillStore || opcode == kSpillLoad)
      spills.push_back(index);
    else if (llvm::is_contained(kProducts, opcode & kProductMask))
      products.push_back(index);
    else if (opcode == kExit)
      exit = index;
    else if (opcode == kBranch)
      if (int64_t target = getBranchTarget(code, index);
          target >= 0 && target <= index)
        loops.push_back({target, index});
  }
  // Loops after the last exit are waits of threads: they only jump there and
  // back.
  llvm::erase_if(loops, [&](Loop loop) { return loop.last > exit; });
  llvm::ArrayRef<int64_t> worth = products.empty() ? spills : products;
  auto contains = [](Loop loop, int64_t index) {
    return loop.first <= index && index <= loop.last;
  };
  llvm::erase_if(loops, [&](Loop loop) {
    return llvm::none_of(worth, [&](int64_t i) { return contains(loop, i); });
  });
  auto isInnermost = [&](Loop loop) {
    return llvm::none_of(loops, [&](Loop other) {
      return loop.first <= other.first && other.last <= loop.last &&
             other.last - other.first < loop.last - loop.first;
    });
  };
  return llvm::count_if(spills, [&](int64_t index) {
    return llvm::any_of(loops, [&](Loop loop) {
      return contains(loop, index) && isInnermost(loop);
    });
  });
}
