//===- PackageFuzzer.cpp - Any package with a right checksum ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads or refuses any bytes as a package. An input that begins like a package
// gets a valid header; any other input becomes the metadata of a package. A
// package must take no more memory than its file, and be the same after writing
// and reading. Its launches are planned or refused.
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "tessera/Runtime/CHeader.h"
#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Runtime/LaunchPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace tessera;
using rt::KernelMetadata;
using rt::KernelPackage;
namespace endian = llvm::support::endian;

static constexpr size_t kHeaderBytes = 24;
static constexpr size_t kEntryBytes = 24;

namespace {
struct Section {
  uint32_t kind;
  std::string contents;
};
} // namespace

/// Sets the magic number, the version and the checksum.
static void sign(std::string &file) {
  file.replace(0, 8, "TESSERAK");
  endian::write32le(&file[8], 2);
  endian::write32le(&file[16], llvm::crc32(llvm::arrayRefFromStringRef(
                                   llvm::StringRef(file).drop_front(20))));
}

static std::string writeSections(llvm::ArrayRef<Section> sections) {
  std::string file(kHeaderBytes + kEntryBytes * sections.size(), '\0');
  endian::write32le(&file[12], sections.size());
  size_t entry = kHeaderBytes;
  for (const Section &section : sections) {
    endian::write32le(&file[entry], section.kind);
    endian::write64le(&file[entry + 8], file.size());
    endian::write64le(&file[entry + 16], section.contents.size());
    entry += kEntryBytes;
    file += section.contents;
  }
  sign(file);
  return file;
}

static bool isPackage(llvm::StringRef input) {
  return input.size() >= kHeaderBytes && input.starts_with("TESSERAK");
}

static std::string makeFile(const uint8_t *data, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  if (!isPackage(input))
    return writeSections({{1, expandRepetitions(data, size)}, {3, "x"}});
  std::string file = input.str();
  sign(file);
  return file;
}

/// Plans a launch whose sizes are all `size`.
static void plan(const KernelMetadata &kernel, int64_t size) {
  std::vector<rt::Argument> arguments;
  uint64_t address = uint64_t(1) << 40;
  for (const rt::ParameterInfo &parameter : kernel.parameters) {
    if (parameter.kind == rt::ParameterInfo::Kind::Scalar) {
      if (array::isFloat(parameter.dtype))
        arguments.emplace_back(1.0);
      else
        arguments.emplace_back(size);
      continue;
    }
    rt::TensorArgument tensor;
    tensor.address = address;
    address += uint64_t(1) << 36;
    tensor.dtype = parameter.dtype;
    for (const rt::SizeExpression &dim : parameter.dims) {
      llvm::Expected<int64_t> extent =
          dim.evaluate([&](llvm::StringRef) { return std::optional(size); });
      tensor.shape.push_back(extent ? *extent : 1);
      llvm::consumeError(extent.takeError());
    }
    arguments.emplace_back(std::move(tensor));
  }
  llvm::StringMap<int64_t> sizes;
  for (const std::string &name : kernel.sizes)
    sizes[name] = size;
  llvm::consumeError(rt::planLaunch(kernel, arguments, sizes).takeError());
}

static void check(llvm::StringRef file) {
  llvm::Expected<KernelPackage> package = KernelPackage::read(file);
  if (!package)
    return llvm::consumeError(package.takeError());
  size_t total = 0;
  for (const auto *images : {&package->cubins, &package->ptx})
    for (const std::string &image : *images)
      total += image.size();
  llvm::Expected<KernelPackage> again = KernelPackage::read(package->write());
  if (total > file.size() || !again ||
      again->writeMetadata() != package->writeMetadata())
    __builtin_trap();
  (void)rt::emitHeader(*package);
  for (const KernelMetadata &kernel : package->kernels)
    for (int64_t size : {0, 5, 1 << 20})
      plan(kernel, size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check(makeFile(data, size));
  return 0;
}

#ifdef TESSERA_FUZZERS
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Mutates `text` as libFuzzer mutates inputs.
static void mutate(std::string &text, size_t maxSize) {
  std::vector<uint8_t> buffer(text.begin(), text.end());
  buffer.resize(std::max<size_t>(maxSize, text.size() + 64));
  size_t size = LLVMFuzzerMutate(buffer.data(), text.size(), buffer.size());
  text.assign(buffer.begin(), buffer.begin() + size);
}

/// Returns the sections of a file, clipped to its end.
static std::vector<Section> readSections(llvm::StringRef file) {
  std::vector<Section> sections;
  for (uint32_t i = 0, e = endian::read32le(file.data() + 12); i < e; ++i) {
    size_t at = kHeaderBytes + i * kEntryBytes;
    if (at + kEntryBytes > file.size())
      break;
    uint64_t offset = endian::read64le(file.data() + at + 8);
    uint64_t size = endian::read64le(file.data() + at + 16);
    sections.push_back({endian::read32le(file.data() + at),
                        file.substr(std::min<uint64_t>(offset, file.size()),
                                    std::min<uint64_t>(size, file.size()))
                            .str()});
  }
  return sections;
}

/// Mutates one section, the number of sections, or any bytes including the
/// table. So a JSON element may change its length and stays in its section.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  llvm::StringRef input(reinterpret_cast<const char *>(data), size);
  std::vector<Section> sections;
  if (isPackage(input) && seed % 4 != 0)
    sections = readSections(input);
  if (sections.empty())
    return LLVMFuzzerMutate(data, size, maxSize);
  size_t index = seed / 16 % sections.size();
  if (seed / 4 % 4 == 0)
    sections.push_back(sections[index]);
  else
    mutate(sections[index].contents, maxSize / 2);
  std::string file = writeSections(sections);
  if (file.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}
#endif
