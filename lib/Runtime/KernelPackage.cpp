//===- KernelPackage.cpp - Kernels in one file ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file format of KernelPackage.h. Invariant: every offset and size in a
// file is checked before its use, so a damaged file cannot cause an access
// outside of it.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/KernelPackage.h"

#include "tessera/Array/BoundedJson.h"
#include "tessera/Array/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::rt;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace endian = llvm::support::endian;
namespace json = llvm::json;

static constexpr llvm::StringLiteral kMagic = "TESSERAK";
static constexpr uint32_t kVersion = 2;
static constexpr size_t kHeaderBytes = 24;
static constexpr size_t kChecksumOffset = 16;
static constexpr size_t kSectionBytes = 24;

namespace {
enum class Section : uint32_t { Metadata = 1, Cubin = 2, PTX = 3 };
} // namespace

std::vector<const KernelMetadata *> KernelPackage::getFirstVariants() const {
  llvm::StringSet<> names;
  std::vector<const KernelMetadata *> firsts;
  for (const KernelMetadata &kernel : kernels)
    if (names.insert(kernel.name).second)
      firsts.push_back(&kernel);
  return firsts;
}

Expected<llvm::SmallVector<const KernelMetadata *, 2>>
KernelPackage::findVariants(StringRef name) const {
  std::vector<const KernelMetadata *> firsts = getFirstVariants();
  StringRef wanted =
      name.empty() && firsts.size() == 1 ? firsts.front()->name : name;
  llvm::SmallVector<const KernelMetadata *, 2> variants;
  for (const KernelMetadata &kernel : kernels)
    if (kernel.name == wanted)
      variants.push_back(&kernel);
  if (!variants.empty())
    return variants;
  std::string known;
  for (const KernelMetadata *kernel : firsts)
    known += (known.empty() ? "" : ", ") + kernel->name;
  return createStringError("the package has no kernel '" + name + "'; it has " +
                           (known.empty() ? "none" : known));
}

Expected<const KernelMetadata *> KernelPackage::find(StringRef name) const {
  auto variants = findVariants(name);
  if (!variants)
    return variants.takeError();
  return variants->front();
}

StringRef KernelPackage::getImage(size_t kernel) const {
  const std::vector<std::string> &images = cubins.empty() ? ptx : cubins;
  return images.size() == 1 ? images.front() : images[kernel];
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static uint32_t checksum(StringRef file) {
  return llvm::crc32(
      llvm::arrayRefFromStringRef(file.drop_front(kChecksumOffset + 4)));
}

std::string KernelPackage::writeMetadata() const {
  json::Array list;
  for (const KernelMetadata &kernel : kernels)
    list.push_back(toJSON(kernel));
  json::Object object{{"target", target}, {"kernels", std::move(list)}};
  if (!ptxas.empty())
    object["ptxas"] = ptxas;
  std::string metadata;
  llvm::raw_string_ostream(metadata) << json::Value(std::move(object));
  return metadata;
}

std::string KernelPackage::write() const {
  std::string metadata = writeMetadata();

  std::vector<std::pair<Section, StringRef>> sections = {
      {Section::Metadata, metadata}};
  for (StringRef image : cubins)
    sections.emplace_back(Section::Cubin, image);
  for (StringRef text : ptx)
    sections.emplace_back(Section::PTX, text);

  std::string file(kHeaderBytes + kSectionBytes * sections.size(), '\0');
  std::copy(kMagic.begin(), kMagic.end(), file.begin());
  endian::write32le(&file[8], kVersion);
  endian::write32le(&file[12], sections.size());
  size_t entry = kHeaderBytes;
  for (auto [kind, contents] : sections) {
    endian::write32le(&file[entry], static_cast<uint32_t>(kind));
    endian::write64le(&file[entry + 8], file.size());
    endian::write64le(&file[entry + 16], contents.size());
    entry += kSectionBytes;
    file += contents;
  }
  endian::write32le(&file[kChecksumOffset], checksum(file));
  return file;
}

llvm::Error KernelPackage::writeFile(StringRef path) const {
  return array::writeFile(path, write());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Checks that variants of a kernel have the same parameters: a launch passes
/// the same arguments to any variant.
llvm::Error KernelPackage::verify() const {
  if (!llvm::all_of(target, llvm::isPrint))
    return createStringError(
        "the name of the target has characters that cannot be printed");
  llvm::StringMap<json::Value> parameters;
  llvm::StringSet<> entries;
  for (const KernelMetadata &kernel : kernels) {
    if (!entries.insert(kernel.entry).second)
      return createStringError("two kernels have the entry '" +
                               Twine(kernel.entry) + "'");
    json::Value list = *toJSON(kernel).getAsObject()->get("parameters");
    auto [it, isNew] = parameters.try_emplace(kernel.name, list);
    if (it->second != list)
      return createStringError("the variants of kernel '" + Twine(kernel.name) +
                               "' have different parameters");
  }
  return llvm::Error::success();
}

static llvm::Error readMetadata(StringRef text, KernelPackage &package) {
  Expected<json::Value> value = array::parseJson(text);
  if (!value)
    return value.takeError();
  json::Object *object = value->getAsObject();
  std::optional<StringRef> target =
      object ? object->getString("target") : std::nullopt;
  json::Array *kernels = object ? object->getArray("kernels") : nullptr;
  if (!target || !kernels)
    return createStringError("the metadata has no target or no kernels");
  package.target = target->str();
  package.ptxas = object->getString("ptxas").value_or("").str();
  if (StringRef(package.ptxas).find_first_not_of("0123456789.") !=
      StringRef::npos)
    return createStringError("the version of ptxas is no version");
  for (const json::Value &item : *kernels) {
    Expected<KernelMetadata> kernel = readKernelMetadata(item);
    if (!kernel)
      return kernel.takeError();
    package.kernels.push_back(std::move(*kernel));
  }
  return package.verify();
}

static llvm::Error refuse(const Twine &message) {
  return createStringError("not a kernel package: " + message);
}

namespace {
struct Entry {
  Section kind;
  StringRef contents;
};
} // namespace

/// Reads the table of `count` sections. Sections follow the table and do not
/// overlap, so that copies of all of them take no more memory than the file.
static Expected<std::vector<Entry>> readTable(StringRef bytes, uint32_t count) {
  std::vector<Entry> entries;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint32_t i = 0; i < count; ++i) {
    const char *entry = bytes.data() + kHeaderBytes + i * kSectionBytes;
    uint64_t offset = endian::read64le(entry + 8);
    uint64_t size = endian::read64le(entry + 16);
    if (offset > bytes.size() || size > bytes.size() - offset)
      return refuse("section " + Twine(i) + " lies outside of the file");
    entries.push_back({static_cast<Section>(endian::read32le(entry)),
                       bytes.substr(offset, size)});
    if (size != 0)
      ranges.emplace_back(offset, offset + size);
  }
  llvm::sort(ranges);
  uint64_t end = kHeaderBytes + count * kSectionBytes;
  for (auto [begin, next] : ranges) {
    if (begin < end)
      return refuse("sections overlap at byte " + Twine(begin));
    end = next;
  }
  return entries;
}

/// Checks that the package has code: one image for all kernels, or one for
/// each.
static llvm::Error checkImages(const KernelPackage &package) {
  if (package.cubins.empty() && package.ptx.empty())
    return refuse("there is neither machine code nor PTX");
  for (size_t images : {package.cubins.size(), package.ptx.size()})
    if (images > 1 && images != package.kernels.size())
      return refuse("the code is in " + Twine(images) + " sections for " +
                    Twine(package.kernels.size()) + " kernels");
  return llvm::Error::success();
}

Expected<KernelPackage> KernelPackage::read(StringRef bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic))
    return refuse("the header is missing");
  uint32_t version = endian::read32le(bytes.data() + 8);
  if (version != kVersion)
    return refuse("the version is " + Twine(version) + ", expected " +
                  Twine(kVersion));
  uint32_t count = endian::read32le(bytes.data() + 12);
  if (count > (bytes.size() - kHeaderBytes) / kSectionBytes)
    return refuse("the table of sections is cut off");
  if (endian::read32le(bytes.data() + kChecksumOffset) != checksum(bytes))
    return refuse("the checksum does not match; the file is cut off or "
                  "damaged");
  Expected<std::vector<Entry>> entries = readTable(bytes, count);
  if (!entries)
    return entries.takeError();

  KernelPackage package;
  bool hasMetadata = false;
  for (auto [kind, contents] : *entries) {
    switch (kind) {
    case Section::Metadata:
      if (hasMetadata)
        return refuse("there are two sections of metadata");
      hasMetadata = true;
      if (llvm::Error error = readMetadata(contents, package))
        return error;
      break;
    case Section::Cubin:
      if (!contents.empty())
        package.cubins.push_back(contents.str());
      break;
    case Section::PTX:
      if (!contents.empty())
        package.ptx.push_back(contents.str());
      break;
    }
  }
  if (!hasMetadata)
    return refuse("there is no metadata");
  if (llvm::Error error = checkImages(package))
    return error;
  return package;
}

Expected<KernelPackage> KernelPackage::readFile(StringRef path) {
  auto fail = [&](const Twine &message) {
    return createStringError("cannot read '" + path + "': " + message);
  };
  // A pipe may never deliver its end, and /dev/zero has none.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return fail(error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return fail("a package is a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(buffer.getError().message());
  bool isSource = path.ends_with(".tile") || path.ends_with(".mlir");
  if (isSource && !(*buffer)->getBuffer().starts_with(kMagic))
    return createStringError("'" + path +
                             "' is a source, not a kernel package; 'tilec " +
                             path + " -o " + path.drop_back(5) +
                             ".tpk' makes the package, and tile-run runs a "
                             "source");
  Expected<KernelPackage> package = read((*buffer)->getBuffer());
  if (!package)
    return createStringError("'" + path +
                             "': " + llvm::toString(package.takeError()));
  return package;
}
