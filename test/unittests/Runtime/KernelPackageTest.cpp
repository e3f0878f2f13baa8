//===- KernelPackageTest.cpp - Kernels in one file --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The round trip, and files that are cut off, changed or made up.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gmock/gmock.h"

using namespace tessera::rt;
using testing::HasSubstr;
namespace endian = llvm::support::endian;

namespace {

TEST(KernelPackage, SurvivesTheRoundTrip) {
  KernelPackage package = makePackage();
  // Machine code may hold any byte.
  package.cubins[0] += std::string("\0\xff\n", 3);
  KernelPackage copy = unwrap(KernelPackage::read(package.write()));
  EXPECT_EQ(copy.target, "sm_90a");
  EXPECT_EQ(copy.ptxas, "13.5.37");
  EXPECT_EQ(copy.cubins, package.cubins);
  EXPECT_EQ(copy.ptx, package.ptx);
  ASSERT_EQ(copy.kernels.size(), 1u);
  EXPECT_EQ(toJSON(copy.kernels[0]), toJSON(package.kernels[0]));
  EXPECT_EQ(copy.write(), package.write());
}

TEST(KernelPackage, Files) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tessera", "tpk", path));
  llvm::FileRemover remover(path);
  EXPECT_EQ(textOf(makePackage().writeFile(path)), "");
  EXPECT_EQ(unwrap(KernelPackage::readFile(path)).kernels.size(), 1u);
  EXPECT_THAT(textOf(KernelPackage::readFile("/no/such.tpk")),
              HasSubstr("cannot read '/no/such.tpk': "));
  EXPECT_THAT(textOf(makePackage().writeFile("/no/such.tpk")),
              HasSubstr("cannot write '/no/such.tpk': "));
  EXPECT_THAT(textOf(KernelPackage::readFile("/dev/null")),
              HasSubstr("'/dev/null': a package is a regular file"));
}

TEST(KernelPackage, FindsKernels) {
  KernelPackage package = makePackage();
  EXPECT_EQ(unwrap(package.find(""))->name, "matmul");
  EXPECT_EQ(unwrap(package.find("matmul"))->name, "matmul");
  EXPECT_EQ(textOf(package.find("conv")),
            "the package has no kernel 'conv'; it has matmul");
  package.kernels.push_back(package.kernels[0]);
  package.kernels[1].name = "other";
  EXPECT_EQ(textOf(package.find("")),
            "the package has no kernel ''; it has matmul, other");
}

TEST(KernelPackage, EveryCutIsAnError) {
  std::string file = makePackage().write();
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_THAT(textOf(KernelPackage::read(file.substr(0, length))),
                HasSubstr(length < 24
                              ? "not a kernel package: the header is missing"
                              : "not a kernel package: "))
        << length;
}

TEST(KernelPackage, EveryChangedByteIsAnError) {
  std::string file = makePackage().write();
  for (size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] ^= 0x20;
    EXPECT_NE(textOf(KernelPackage::read(changed)), "") << i;
  }
}

/// Makes the checksum of a file right again.
std::string sign(std::string file) {
  endian::write32le(&file[16], llvm::crc32(llvm::arrayRefFromStringRef(
                                   llvm::StringRef(file).drop_front(20))));
  return file;
}

TEST(KernelPackage, HostileFilesWithARightChecksum) {
  std::string file = makePackage().write();
  ASSERT_EQ(sign(file), file);
  auto readWith = [&](size_t offset, uint64_t value) {
    std::string changed = file;
    endian::write64le(&changed[offset], value);
    return textOf(KernelPackage::read(sign(changed)));
  };
  // The first section's entry is at 24: kind, offset (8), size (16).
  EXPECT_THAT(readWith(32, file.size() + 1),
              HasSubstr("section 0 lies outside of the file"));
  EXPECT_THAT(readWith(40, file.size()),
              HasSubstr("section 0 lies outside of the file"));
  EXPECT_THAT(readWith(40, UINT64_MAX),
              HasSubstr("section 0 lies outside of the file"));
  EXPECT_THAT(readWith(24, 77), HasSubstr("there is no metadata"));
  EXPECT_THAT(readWith(48, 1), HasSubstr("there are two sections of metadata"));
  EXPECT_NE(readWith(40, 10), "") << "metadata that is cut off";

  std::string version = file;
  endian::write32le(&version[8], 1);
  EXPECT_THAT(textOf(KernelPackage::read(version)),
              HasSubstr("the version is 1, expected 2"));
  std::string many = file;
  endian::write32le(&many[12], UINT32_MAX);
  EXPECT_THAT(textOf(KernelPackage::read(many)),
              HasSubstr("the table of sections is cut off"));
  std::string damaged = file;
  damaged.back() ^= 1;
  EXPECT_THAT(textOf(KernelPackage::read(damaged)),
              HasSubstr("the checksum does not match; the file is cut off or "
                        "damaged"));
}

TEST(KernelPackage, SectionsDoNotOverlap) {
  std::string file = makePackage().write();
  auto readWith = [&](size_t offset, uint64_t value) {
    std::string changed = file;
    endian::write64le(&changed[offset], value);
    return textOf(KernelPackage::read(sign(changed)));
  };
  // The second section begins at the first one, and at the table.
  uint64_t first = endian::read64le(&file[32]);
  EXPECT_THAT(readWith(56, first),
              HasSubstr("sections overlap at byte " + std::to_string(first)));
  EXPECT_THAT(readWith(56, 24), HasSubstr("sections overlap at byte 24"));
  // The second section begins at the last byte of the first one.
  uint64_t second = endian::read64le(&file[56]);
  EXPECT_THAT(readWith(56, second - 1), HasSubstr("sections overlap at byte " +
                                                  std::to_string(second - 1)));
}

TEST(KernelPackage, DeepMetadataIsRefused) {
  std::string deep(100000, '[');
  std::string file(24 + 24, '\0');
  file.replace(0, 8, "TESSERAK");
  endian::write32le(&file[8], 2);
  endian::write32le(&file[12], 1);
  endian::write32le(&file[24], 1);
  endian::write64le(&file[32], file.size());
  endian::write64le(&file[40], deep.size());
  EXPECT_THAT(textOf(KernelPackage::read(sign(file + deep))),
              HasSubstr("the JSON has more than 100 levels of nesting"));
}

TEST(KernelPackage, AFileThatIsNoRegularOneIsRefused) {
  EXPECT_EQ(textOf(KernelPackage::readFile("/dev/zero")),
            "cannot read '/dev/zero': a package is a regular file");
  EXPECT_EQ(textOf(KernelPackage::readFile("/")),
            "cannot read '/': a package is a regular file");
}

TEST(KernelPackage, ChangedFilesWithARightChecksumAreNoTrap) {
  // A file that can still be read is launched: its metadata may have changed.
  std::string file = makePackage().write();
  unsigned good = 0;
  for (size_t i = 20; i < file.size(); ++i)
    for (unsigned change : {0x01, 0x10, 0x80, 0xff}) {
      std::string changed = file;
      changed[i] ^= change;
      llvm::Expected<KernelPackage> package =
          KernelPackage::read(sign(changed));
      if (!package) {
        llvm::consumeError(package.takeError());
        continue;
      }
      ++good;
      for (const KernelMetadata &kernel : package->kernels)
        textOf(planLaunch(kernel, makeArguments()));
    }
  EXPECT_GT(good, 100u) << "changes of numbers and of machine code are read";
}

TEST(KernelPackage, CodeOfEachKernelByItself) {
  KernelPackage package = makeVariants();
  EXPECT_EQ(package.getImage(1), package.cubins[0]) << "one for all";
  package.cubins = {"first", "second"};
  package.ptx = {".version 1", ".version 2"};
  KernelPackage copy = unwrap(KernelPackage::read(package.write()));
  EXPECT_EQ(copy.getImage(0), "first");
  EXPECT_EQ(copy.getImage(1), "second");
  copy.cubins.clear();
  EXPECT_EQ(copy.getImage(1), ".version 2");
  package.cubins.push_back("third");
  EXPECT_THAT(textOf(KernelPackage::read(package.write())),
              HasSubstr("the code is in 3 sections for 2 kernels"));
}

TEST(KernelPackage, TheVersionOfPtxasIsAVersion) {
  KernelPackage package = makePackage();
  package.ptxas = "13.5\033[2J";
  EXPECT_THAT(textOf(KernelPackage::read(package.write())),
              HasSubstr("the version of ptxas is no version"));
}

TEST(KernelPackage, PackagesWithoutWhatIsNeeded) {
  KernelPackage package = makePackage();
  package.cubins.clear();
  EXPECT_EQ(textOf(KernelPackage::read(package.write())), "")
      << "PTX alone is enough";
  package.ptx.clear();
  EXPECT_THAT(textOf(KernelPackage::read(package.write())),
              HasSubstr("there is neither machine code nor PTX"));
  std::string file = makePackage().write();
  size_t at = file.find("\"target\"");
  file[at + 1] = 'T';
  EXPECT_THAT(textOf(KernelPackage::read(sign(file))),
              HasSubstr("the metadata has no target or no kernels"));
}

TEST(KernelPackage, Variants) {
  KernelPackage package = makeVariants();
  KernelPackage copy = unwrap(KernelPackage::read(package.write()));
  auto variants = unwrap(copy.findVariants(""));
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0]->entry, "matmul_128x128");
  EXPECT_EQ(variants[1]->entry, "matmul_plain");
  EXPECT_EQ(unwrap(copy.find("matmul"))->entry, "matmul_128x128");
  EXPECT_EQ(copy.getFirstVariants().size(), 1u);
  EXPECT_EQ(textOf(copy.find("conv")),
            "the package has no kernel 'conv'; it has matmul");

  package.kernels[1].parameters[0].dims[0] = size("N");
  EXPECT_THAT(
      textOf(KernelPackage::read(package.write())),
      HasSubstr("the variants of kernel 'matmul' have different parameters"));
  package = makeVariants();
  package.kernels[1].entry = package.kernels[0].entry;
  EXPECT_THAT(textOf(KernelPackage::read(package.write())),
              HasSubstr("two kernels have the entry 'matmul_128x128'"));
}

} // namespace
