//===- OutputFileTest.cpp - Files that tools write --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All or nothing, on the files of a folder. A full disk is played by a limit on
// the size of files.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace tessera::array;
using testing::HasSubstr;
namespace fs = llvm::sys::fs;

namespace {

class OutputFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("output", folder));
  }
  void TearDown() override { ASSERT_FALSE(fs::remove_directories(folder)); }

  std::string at(const char *name) const { return (folder + "/" + name).str(); }
  static std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "unreadable";
  }
  static std::string write(const std::string &path, llvm::StringRef contents) {
    return llvm::toString(writeFile(path, contents));
  }
  static std::string check(const std::string &path) {
    return llvm::toString(checkWritable(path));
  }
  unsigned countFiles() const {
    std::error_code error;
    unsigned count = 0;
    for (fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(OutputFileTest, SaysWhatCannotBeWrittenAndLeavesNothing) {
  std::string file = at("a");
  EXPECT_EQ(check(file), "");
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(check("a.npy"), "");
  EXPECT_EQ(check("-"), "");
  EXPECT_EQ(check(folder.str().str()),
            "cannot write '" + folder.str().str() + "': Is a directory");
  EXPECT_THAT(check(file + "/b"), HasSubstr("No such file or directory"));
  EXPECT_EQ(write(file, "text"), "");
  EXPECT_EQ(check(file), "") << "it may be overwritten";
  EXPECT_THAT(check(file + "/b"), HasSubstr("Not a directory"));
  EXPECT_EQ(write("/nonexistent/a", "text"),
            "cannot write '/nonexistent/a': No such file or directory");
  EXPECT_EQ(write(folder.str().str(), "text"),
            "cannot write '" + folder.str().str() + "': Is a directory");
}

TEST_F(OutputFileTest, ReplacesFilesAndKeepsTheirPermissions) {
  std::string file = at("a");
  EXPECT_EQ(write(file, "one"), "");
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  EXPECT_EQ(write(file, "another"), "");
  EXPECT_EQ(read(file), "another");
  EXPECT_EQ(*fs::getPermissions(file), static_cast<fs::perms>(0640));
  EXPECT_EQ(countFiles(), 1u);
  // A name that leaves no place for a longer one.
  std::string longest = at(std::string(255, 'x').c_str());
  EXPECT_EQ(write(longest, "long"), "");
  EXPECT_EQ(read(longest), "long");
}

TEST_F(OutputFileTest, WritesThroughLinks) {
  ASSERT_EQ(write(at("a"), "old"), "");
  ASSERT_FALSE(fs::create_link(at("a"), at("link")));
  EXPECT_EQ(write(at("link"), "new"), "");
  EXPECT_EQ(read(at("a")), "new");
  EXPECT_TRUE(fs::is_symlink_file(at("link")));
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFile) {
  std::string file = at("a");
  ASSERT_EQ(write(file, "good"), "");
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = {4096, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string error = write(file, std::string(1 << 20, 'x'));
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(error, "cannot write '" + file + "': File too large");
  EXPECT_EQ(read(file), "good");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, DevicesAndPipesStayWhatTheyAre) {
  EXPECT_EQ(write("/dev/null", "text"), "");
  EXPECT_EQ(write("/dev/full", "text"),
            "cannot write '/dev/full': No space left on device");
  std::string pipe = at("pipe"), got;
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread reader([&] { got = read(pipe); });
  EXPECT_EQ(write(pipe, "through"), "");
  reader.join();
  EXPECT_EQ(got, "through");
  fs::file_status status;
  ASSERT_FALSE(fs::status(pipe, status));
  EXPECT_EQ(status.type(), fs::file_type::fifo_file);
}

TEST_F(OutputFileTest, KnowsOneFileByTwoNames) {
  ASSERT_EQ(write(at("a"), "text"), "");
  ASSERT_FALSE(fs::create_link(at("a"), at("link")));
  EXPECT_TRUE(isSameFile(at("a"), at("./a")));
  EXPECT_TRUE(isSameFile(at("a"), at("link")));
  EXPECT_TRUE(isSameFile(at("new"), at("./new")));
  EXPECT_TRUE(isSameFile("-", "-"));
  EXPECT_FALSE(isSameFile(at("a"), at("b")));
  EXPECT_FALSE(isSameFile(at("new"), at("newer")));
  EXPECT_FALSE(isSameFile(at("a"), "-"));
  EXPECT_FALSE(isSameFile("/dev/null", "/dev/null"));
}

} // namespace
