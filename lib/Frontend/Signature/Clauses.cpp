//===- Clauses.cpp - Grid, schedule and numerics ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clauses between the parameters of a kernel and its body. The checks of
// `schedule` repeat the limits of `#tile.schedule`, so that an error points at
// the incorrect entry.
//
//===----------------------------------------------------------------------===//

#include "Clauses.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

bool Clauses::evaluateGrid(SmallVectorImpl<Attribute> &axes) {
  bool valid = true;
  for (const Axis &axis : context.kernel.axes) {
    auto *call = dyn_cast<CallExpr>(axis.domain);
    const Expr *size = axis.domain;
    int64_t extent = 0;
    if (call && call->callee.text == "tiles") {
      if (call->arguments.size() != 2 ||
          !call->arguments[0].name.text.empty() ||
          !call->arguments[1].name.text.empty() || call->arguments[0].whole ||
          call->arguments[1].whole) {
        error(call->place) << "a grid axis walks all tiles of a size: `"
                           << axis.name.text << " in tiles(size, extent)`";
        valid = false;
        continue;
      }
      size = call->arguments[0].value;
      const Expr *extentExpr = call->arguments[1].value;
      if (!walk.checkTilesOrder(size, extentExpr)) {
        valid = false;
        continue;
      }
      std::optional<int64_t> value =
          walk.evaluateInteger(extentExpr, "the extent of a tile");
      if (!value ||
          !getTileType(*value, builder.getI32Type(), extentExpr->place)) {
        valid = false;
        continue;
      }
      extent = *value;
    }
    tile::SizeAttr attr = sizes.evaluateSize(size, "the size of a grid axis");
    if (!attr) {
      valid = false;
      continue;
    }
    axes.push_back(tile::AxisAttr::get(builder.getContext(),
                                       builder.getStringAttr(axis.name.text),
                                       attr, extent));
  }
  return valid;
}

namespace {
/// The limits of an integer entry of `schedule`.
struct EntryLimits {
  StringRef name;
  int64_t min, max, multiple;
};
} // namespace

static constexpr int64_t kMaxClusterSize = 16;

/// Names the entry that has the meaning of an option of Triton.
static StringRef findForeignHint(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("num_warps", "; did you mean `warps`?")
      .Cases({"num_stages", "num_buffers"}, "; did you mean `stages`?")
      .Cases({"num_ctas", "cluster_dims"}, "; did you mean `cluster`?")
      .Cases({"maxnreg", "num_registers"}, "; did you mean `registers`?")
      .Default("");
}

static constexpr int64_t kWarpsPerWarpgroup = 4;

/// The numbers of warps that a schedule may ask for.
static constexpr int64_t kWarpCounts[] = {1, 2, 4, 8, 12, 16};

tile::ScheduleAttr Clauses::evaluateSchedule() {
  static const EntryLimits limits[] = {
      {"warpgroups", 1, 3, 1},   {"stages", 1, 16, 1},
      {"registers", 24, 256, 8}, {"exchange", 0, 2, 1},
      {"mma_order", 0, 8, 1},    {"warps", 1, 16, 1}};
  int64_t integers[] = {0, 0, 0, 0, 0, 0};
  llvm::StringMap<bool> flags = {{"late_stores", false},
                                 {"pingpong", false},
                                 {"persistent", false},
                                 {"dynamic", false}};
  llvm::StringMap<const ClauseEntry *> entries;
  SmallVector<int64_t> cluster;
  llvm::StringSet<> seen;

  for (const ClauseEntry &entry : context.kernel.schedule) {
    StringRef name = entry.name.text;
    if (!seen.insert(name).second) {
      error(entry.name.place) << "`" << name << "` is given twice";
      continue;
    }
    if (name == "cluster") {
      if (!entry.isTuple || entry.values.empty() ||
          entry.values.size() >
              std::min<size_t>(context.kernel.axes.size(), 3)) {
        error(entry.name.place)
            << "expected `cluster = (…)` with one number for each of the first "
               "grid axes, at most 3; got "
            << entry.values.size()
            << (entry.values.size() == 1 ? " number" : " numbers")
            << ", and the grid has " << context.kernel.axes.size()
            << (context.kernel.axes.size() == 1 ? " axis" : " axes");
        continue;
      }
      int64_t ctas = 1;
      for (const Expr *expr : entry.values) {
        std::optional<int64_t> size =
            walk.evaluateInteger(expr, "the size of a cluster");
        if (!size)
          return {};
        // Bounds each factor, so that the product cannot overflow.
        ctas = *size < 1 || *size > kMaxClusterSize ? kMaxClusterSize + 1
                                                    : ctas * *size;
        if (ctas > kMaxClusterSize) {
          error(expr->place)
              << "a cluster has 1 to " << kMaxClusterSize << " CTAs in all";
          return {};
        }
        cluster.push_back(*size);
      }
      continue;
    }
    const auto *limit = llvm::find_if(
        limits, [&](const EntryLimits &limit) { return limit.name == name; });
    if (limit != std::end(limits)) {
      if (entry.isTuple || entry.values.empty()) {
        error(entry.name.place) << "expected `" << name << " = ` and a number";
        continue;
      }
      std::optional<int64_t> value =
          walk.evaluateInteger(entry.values[0], ("`" + name + "`").str());
      if (!value)
        continue;
      if (name == "warps" && !llvm::is_contained(kWarpCounts, *value)) {
        error(entry.values[0]->place)
            << "`warps` is " << *value << ", expected 1, 2, 4, 8, 12 or 16";
        continue;
      }
      if (*value < limit->min || *value > limit->max ||
          *value % limit->multiple != 0) {
        auto diagnostic = error(entry.values[0]->place);
        diagnostic << "`" << name << "` is " << *value << ", expected "
                   << limit->min << " to " << limit->max;
        if (limit->multiple != 1)
          diagnostic << ", a multiple of " << limit->multiple;
        continue;
      }
      integers[limit - limits] = *value;
      entries[name] = &entry;
      continue;
    }
    if (auto flag = flags.find(name); flag != flags.end()) {
      std::optional<bool> value = true;
      if (entry.isTuple)
        error(entry.name.place)
            << "expected `" << name << "` alone or with `= true` or `= false`";
      else if (!entry.values.empty())
        value = walk.evaluateBool(entry.values[0], ("`" + name + "`").str());
      flag->second = value.value_or(false);
      entries[name] = &entry;
      continue;
    }
    StringRef hint = findForeignHint(name);
    error(entry.name.place)
        << "unknown entry `" << name
        << "` of `schedule`; expected `warpgroups`, `warps`, `stages`, "
           "`cluster`, `registers`, `exchange`, `mma_order`, `late_stores`, "
           "`pingpong`, `persistent` or `dynamic`"
        << (hint.empty()
                ? askForName(name, {"warpgroups", "warps", "stages", "cluster",
                                    "registers", "exchange", "mma_order",
                                    "late_stores", "pingpong", "persistent",
                                    "dynamic"})
                : hint.str());
  }
  int64_t &warpgroups = integers[0], &warps = integers[5];
  if (warps > 0 && warpgroups > 0) {
    error(entries["warps"]->name.place)
        << "`warps` and `warpgroups` both set the number of warps that "
           "compute; remove one of them: `warpgroups = "
        << warpgroups << "` is `warps = " << warpgroups * kWarpsPerWarpgroup
        << "`";
    return {};
  }
  // Whole warpgroups have one spelling from here on.
  bool areWarpgroups = warps % kWarpsPerWarpgroup == 0 &&
                       warps / kWarpsPerWarpgroup <= limits[0].max;
  if (warps > 0 && areWarpgroups) {
    warpgroups = warps / kWarpsPerWarpgroup;
    warps = 0;
  }
  if (warps > 0) {
    StringRef ofProducts = integers[3] > 0        ? "exchange"
                           : integers[4] > 0      ? "mma_order"
                           : flags["late_stores"] ? "late_stores"
                           : flags["pingpong"]    ? "pingpong"
                                                  : "";
    if (!ofProducts.empty()) {
      error(entries[ofProducts]->name.place)
          << "`" << ofProducts << "` is for products on tensor cores, and "
          << "`warps = " << warps << "` is for kernels without them; expected "
          << "`warpgroups` instead of `warps`, or no `" << ofProducts << "`";
      return {};
    }
  }
  if (flags["dynamic"] && !flags["persistent"]) {
    error(entries["dynamic"]->name.place)
        << "`dynamic` lets persistent CTAs fetch programs from an atomic "
           "counter; expected `persistent` as well";
    return {};
  }
  if (flags["persistent"] && context.kernel.axes.empty()) {
    error(entries["persistent"]->name.place)
        << "`persistent` distributes the programs of a grid over CTAs; "
           "expected a `grid`";
    return {};
  }
  if (flags["pingpong"] && warpgroups == 1 && !flags["persistent"]) {
    error(entries["pingpong"]->name.place)
        << "`pingpong` alternates between warpgroups or between programs; "
           "expected `persistent`, or `warpgroups` above 1";
    return {};
  }
  if (flags["late_stores"] && integers[3] == 1) {
    error(entries["late_stores"]->name.place)
        << "`late_stores` needs a second exchange slot; expected `exchange = "
           "2`";
    return {};
  }
  if (integers[4] > 0 && (flags["late_stores"] || flags["pingpong"])) {
    error(
        entries[flags["late_stores"] ? "late_stores" : "pingpong"]->name.place)
        << "`late_stores` and `pingpong` have their own orders; expected "
           "`mma_order` without them";
    return {};
  }
  // A clause without hints equals no clause.
  if (cluster.empty() && !flags["late_stores"] && !flags["pingpong"] &&
      !flags["persistent"] &&
      llvm::all_of(integers, [](int64_t value) { return value == 0; }))
    return {};
  return tile::ScheduleAttr::get(
      builder.getContext(), warpgroups, warps, integers[1], cluster,
      integers[2], integers[3], integers[4], flags["late_stores"],
      flags["pingpong"], flags["persistent"], flags["dynamic"]);
}

KernelNumerics Clauses::evaluateNumerics() {
  llvm::StringSet<> seen;
  KernelNumerics numerics;
  for (const ClauseEntry &entry : context.kernel.numerics) {
    StringRef name = entry.name.text;
    bool *known = llvm::StringSwitch<bool *>(name)
                      .Case("contract", &numerics.contract)
                      .Case("fold_exp2", &numerics.foldExp2)
                      .Case("lazy_rescale", &numerics.lazyRescale)
                      .Default(nullptr);
    if (!known)
      error(entry.name.place)
          << "unknown entry `" << name
          << "` of `numerics`; expected `contract`, `fold_exp2` or "
             "`lazy_rescale`"
          << askForName(name, {"contract", "fold_exp2", "lazy_rescale"});
    else if (!seen.insert(name).second)
      error(entry.name.place) << "`" << name << "` is given twice";
    else if (entry.isTuple || entry.values.empty())
      error(entry.name.place)
          << "expected `" << name << " = true` or `" << name << " = false`";
    else if (auto value =
                 walk.evaluateBool(entry.values[0], ("`" + name + "`").str()))
      *known = *value;
  }
  return numerics;
}
