//===- ControlFlowTest.cpp - Where threads of a warp meet again -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/ControlFlow.h"

#include "ParsedText.h"

#include <random>

using namespace tessera::emu;

namespace {

/// Of a body whose instructions are written one per line.
std::vector<unsigned> getPlaces(const llvm::Twine &body) {
  std::unique_ptr<Module> module = parseBody(body);
  if (!module)
    return {};
  return findReconvergence(*module->kernels[0]);
}

using Places = std::vector<unsigned>;
constexpr unsigned kNo = kNowhere;

TEST(ControlFlowTest, Straight) {
  EXPECT_EQ(getPlaces(""), Places());
  EXPECT_EQ(getPlaces("ret;"), Places{kNo});
  EXPECT_EQ(getPlaces("x; bra.uni L; L: x; ret;"),
            (Places{kNo, kNo, kNo, kNo}));
}

TEST(ControlFlowTest, Diamonds) {
  EXPECT_EQ(getPlaces("@%p1 bra ELSE;"  // 0
                      "x; bra.uni END;" // 1, 2
                      "ELSE: x; x;"     // 3, 4
                      "END: x; ret;"),  // 5, 6
            (Places{5, kNo, kNo, kNo, kNo, kNo, kNo}));
  // Without the other side.
  EXPECT_EQ(getPlaces("@!%p1 bra END; x; END: ret;"), (Places{2, kNo, kNo}));
  // To what comes next anyway.
  EXPECT_EQ(getPlaces("@%p1 bra END; END: ret;"), (Places{1, kNo}));
  // A meeting point need not be a target of the branch.
  EXPECT_EQ(getPlaces("@%p1 bra ELSE;"          // 0
                      "@%p2 bra END; x;"        // 1, 2
                      "ELSE: x; END: x; ret;"), // 3, 4, 5
            (Places{4, 4, kNo, kNo, kNo, kNo}));
}

TEST(ControlFlowTest, NestedIfs) {
  EXPECT_EQ(getPlaces("@%p1 bra A;"       // 0
                      "@%p2 bra B; x;"    // 1, 2
                      "B: x; bra.uni C;"  // 3, 4
                      "A: @%p3 bra D; x;" // 5, 6
                      "D: x;"             // 7
                      "C: ret;"),         // 8
            (Places{8, 3, kNo, kNo, kNo, 7, kNo, kNo, kNo}));
}

TEST(ControlFlowTest, Loops) {
  // The threads that leave wait after the loop.
  EXPECT_EQ(getPlaces("LOOP: x; @%p1 bra LOOP; ret;"), (Places{kNo, 2, kNo}));
  // Threads that break out of the middle arrive at the same place.
  EXPECT_EQ(getPlaces("LOOP: x;"          // 0
                      "@%p1 bra OUT;"     // 1
                      "@%p2 bra NEXT; x;" // 2, 3
                      "NEXT: x;"          // 4
                      "@%p3 bra LOOP;"    // 5
                      "OUT: ret;"),       // 6
            (Places{kNo, 6, 4, kNo, kNo, 6, kNo}));
  // As a try_wait spins.
  EXPECT_EQ(getPlaces("{ TRY: x; @%p1 bra DONE; bra TRY; DONE: } x; ret;"),
            (Places{kNo, 3, kNo, kNo, kNo}));
  // A break out of two loops passes the end of the inner one.
  EXPECT_EQ(getPlaces("OUTER: x;"            // 0
                      "INNER: @%p1 bra OUT;" // 1
                      "@%p2 bra INNER;"      // 2
                      "@%p3 bra OUTER;"      // 3
                      "OUT: ret;"),          // 4
            (Places{kNo, 4, 4, 4, kNo}));
}

TEST(ControlFlowTest, NoMeetingBeforeTheEnd) {
  for (const char *end : {"ret;", "exit;", "trap;"})
    EXPECT_EQ(getPlaces(llvm::Twine("@%p1 bra A; x; ret; A: x; ") + end),
              (Places{kNo, kNo, kNo, kNo, kNo}));
  // One side may end alone.
  EXPECT_EQ(getPlaces("@%p1 bra A; @%p2 ret; A: x; ret;"),
            (Places{kNo, kNo, kNo, kNo}));
  // A label after the last instruction is the end.
  EXPECT_EQ(getPlaces("@%p1 bra A; x; A:"), (Places{kNo, kNo}));
  // After it, guarded ones change nothing.
  EXPECT_EQ(getPlaces("@%p1 bra A; x; A: @%p2 exit; x; ret;"),
            (Places{2, kNo, kNo, kNo, kNo}));
}

TEST(ControlFlowTest, InfiniteLoops) {
  EXPECT_EQ(getPlaces("L: bra L;"), Places{kNo});
  EXPECT_EQ(getPlaces("L: @%p1 bra L; bra L;"), (Places{kNo, kNo}));
  // A branch into one, and one inside of it.
  EXPECT_EQ(getPlaces("@%p1 bra L; x; ret; L: @%p2 bra M; x; M: bra L;"),
            (Places{kNo, kNo, kNo, kNo, kNo, kNo}));
  // Before the branch into it all is as ever.
  EXPECT_EQ(getPlaces("@%p2 bra A; x; A: @%p1 bra L; ret; L: bra L;"),
            (Places{2, kNo, kNo, kNo, kNo}));
}

TEST(ControlFlowTest, IndexedBranches) {
  EXPECT_EQ(getPlaces("T: .branchtargets A, B, A, C;"
                      "brx.idx %r1, T;"        // 0
                      "A: x; bra.uni C;"       // 1, 2
                      "B: @%p1 bra B; C: x;"), // 3, 4
            (Places{4, kNo, kNo, 4, kNo}));
  // With a guard some threads go on.
  EXPECT_EQ(getPlaces("T: .branchtargets C;"
                      "@%p1 brx.idx %r1, T; x; C: ret;"),
            (Places{2, kNo, kNo}));
  EXPECT_EQ(getPlaces("T: .branchtargets C; brx.idx %r1, T; x; C: ret;"),
            (Places{2, kNo, kNo}));
}

TEST(ControlFlowTest, CodeThatNothingReachesChangesNothing) {
  EXPECT_EQ(getPlaces("@%p1 bra A;"       // 0
                      "bra.uni B;"        // 1
                      "x; @%p2 bra A; x;" // 2, 3, 4
                      "B: x; A: ret;"),   // 5, 6
            (Places{6, kNo, kNo, 6, kNo, kNo, kNo}));
}

//===----------------------------------------------------------------------===//
// Random kernels
//===----------------------------------------------------------------------===//

/// Carries out the definition of reconvergence, one instruction at a time.
class Definition {
public:
  explicit Definition(const Kernel &kernel) : kernel(kernel) {
    for (unsigned i = 0; i < getEnd(); ++i)
      isStuck.push_back(!isReached(i, getEnd(), kNowhere, /*all=*/false));
  }

  unsigned getMeetingPoint(unsigned branch) const {
    // Of the places that all threads pass, the one from which all others are
    // passed still.
    std::vector<unsigned> passed;
    for (unsigned place = 0; place < getEnd(); ++place)
      if (place != branch && isPassed(branch, place))
        passed.push_back(place);
    for (unsigned place : passed)
      if (llvm::all_of(passed, [&](unsigned other) {
            return other == place || isPassed(place, other);
          }))
        return place;
    return kNowhere;
  }

private:
  unsigned getEnd() const { return kernel.body.size(); }

  std::vector<unsigned> getNext(unsigned place) const {
    const Instruction &instruction = *kernel.body[place];
    std::vector<unsigned> next(kernel.targets[place].begin(),
                               kernel.targets[place].end());
    StringRef root = instruction.getRoot();
    bool ends = root == "ret" || root == "exit" || root == "trap";
    if (ends)
      next.push_back(getEnd());
    if (instruction.guard || (!ends && next.empty()))
      next.push_back(place + 1);
    return next;
  }

  /// A way from `from` to `to` around `without`. With `all`, what is stuck
  /// counts as the end.
  bool isReached(unsigned from, unsigned to, unsigned without, bool all) const {
    std::vector<bool> isSeen(getEnd() + 1);
    std::vector<unsigned> work = {from};
    while (!work.empty()) {
      unsigned place = work.back();
      work.pop_back();
      if (place == to || (all && place < getEnd() && isStuck[place]))
        return true;
      if (place == getEnd() || isSeen[place])
        continue;
      isSeen[place] = true;
      for (unsigned next : getNext(place))
        if (next != without)
          work.push_back(next);
    }
    return false;
  }

  bool isPassed(unsigned from, unsigned place) const {
    return !isReached(from, getEnd(), place, /*all=*/true);
  }

  const Kernel &kernel;
  std::vector<bool> isStuck;
};

TEST(ControlFlowTest, RandomKernelsFollowTheDefinition) {
  std::mt19937 random(13);
  auto draw = [&](unsigned count) { return random() % count; };
  unsigned meetings = 0, nowhere = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned count = 1 + draw(24);
    std::string body = "T: .branchtargets L" + std::to_string(draw(count + 1)) +
                       ", L" + std::to_string(draw(count + 1)) + ";\n";
    unsigned density = 2 + draw(10);
    for (unsigned i = 0; i < count; ++i) {
      body += "L" + std::to_string(i) + ": ";
      std::string label = "L" + std::to_string(draw(count + 1)) + ";\n";
      switch (draw(density)) {
      case 0:
        body += "@%p1 bra " + label;
        break;
      case 1:
        body += draw(3) ? "@!%p2 bra " + label : "bra.uni " + label;
        break;
      case 2:
        body += draw(2) ? "@%p1 exit;\n" : "x;\n";
        break;
      case 3:
        body += draw(4) ? "@%p3 bra " + label
                        : std::string(draw(2) ? "ret;\n" : "trap;\n");
        break;
      case 4:
        body += draw(2) ? "brx.idx %r1, T;\n" : "@%p1 brx.idx %r1, T;\n";
        break;
      default:
        body += "x;\n";
      }
    }
    body += "L" + std::to_string(count) + ":";
    std::unique_ptr<Module> module = parseBody(body);
    ASSERT_TRUE(module);
    const Kernel &kernel = *module->kernels[0];
    std::vector<unsigned> found = findReconvergence(kernel);
    Definition definition(kernel);
    ASSERT_EQ(found.size(), count);
    for (unsigned i = 0; i < count; ++i) {
      const Instruction &instruction = *kernel.body[i];
      bool splits = !kernel.targets[i].empty() &&
                    (instruction.guard || instruction.getRoot() == "brx");
      unsigned expected = splits ? definition.getMeetingPoint(i) : kNowhere;
      ASSERT_EQ(found[i], expected) << "instruction " << i << " of\n" << body;
      meetings += splits && expected != kNowhere;
      nowhere += splits && expected == kNowhere;
    }
  }
  // Neither answer is rare.
  EXPECT_GT(meetings, 1000u);
  EXPECT_GT(nowhere, 1000u);
}

TEST(ControlFlowTest, LargeKernelsAreNoProblem) {
  // Loops inside of loops, and a long chain of ifs.
  std::string body;
  unsigned loops = 1000, ifs = 10000;
  for (unsigned i = 0; i < loops; ++i)
    body += "L" + std::to_string(i) + ": x;\n";
  for (unsigned i = 0; i < ifs; ++i)
    body += "@%p1 bra M" + std::to_string(i) + "; x; M" + std::to_string(i) +
            ": x;\n";
  for (unsigned i = loops; i-- > 0;)
    body += "@%p2 bra L" + std::to_string(i) + ";\n";
  std::vector<unsigned> places = getPlaces(body + "ret;");
  ASSERT_EQ(places.size(), 2 * loops + 3 * ifs + 1);
  for (unsigned i = 0; i < ifs; ++i)
    EXPECT_EQ(places[loops + 3 * i], loops + 3 * i + 2);
  for (unsigned i = 0; i < loops; ++i)
    EXPECT_EQ(places[loops + 3 * ifs + i], loops + 3 * ifs + i + 1);
}

} // namespace
