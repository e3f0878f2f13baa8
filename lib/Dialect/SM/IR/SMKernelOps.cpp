//===- SMKernelOps.cpp - Kernels and roles ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/DialectSyntax.h"
#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// KernelOp: printing and parsing
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> axes;
  auto parseAxis = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseKeyword("in"))
      return failure();
    FailureOr<tile::AxisAttr> axis =
        tile::AxisAttr::parseClause(parser, builder.getStringAttr(name));
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    return success();
  };
  int64_t warps;
  if (parseKernelParams(parser, properties.sym_name, properties.param_names,
                        arguments) ||
      parser.parseKeyword("grid") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis) ||
      parser.parseKeyword("warps") || parser.parseLParen() ||
      parser.parseInteger(warps) || parser.parseRParen())
    return failure();
  properties.grid = builder.getArrayAttr(axes);
  properties.warps = builder.getI64IntegerAttr(warps);
  if (succeeded(parser.parseOptionalKeyword("cluster"))) {
    SmallVector<int64_t> cluster;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() {
          return parser.parseInteger(cluster.emplace_back());
        }))
      return failure();
    properties.cluster = builder.getDenseI64ArrayAttr(cluster);
  }
  if (succeeded(parser.parseOptionalKeyword("persistent")))
    properties.persistent = builder.getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("form"))) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseKeyword(&keyword) ||
        parser.parseRParen())
      return failure();
    std::optional<Form> form = symbolizeForm(keyword);
    if (!form)
      return parser.emitError(loc)
             << "expected 'planned', 'scheduled', 'expanded' or 'fenced', got '"
             << keyword << "'";
    properties.form = FormAttr::get(parser.getContext(), *form);
  }
  if (succeeded(parser.parseOptionalKeyword("shared"))) {
    int64_t bytes;
    if (parser.parseLParen() || parser.parseInteger(bytes) ||
        parser.parseRParen())
      return failure();
    properties.shared_memory = builder.getI64IntegerAttr(bytes);
  }
  if (succeeded(parser.parseOptionalKeyword("requires"))) {
    SmallVector<Attribute> conditions;
    auto parseCondition = [&]() -> ParseResult {
      FailureOr<tile::SizeAttr> size = tile::SizeAttr::parseExpression(parser);
      if (failed(size))
        return failure();
      conditions.push_back(*size);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                       parseCondition))
      return failure();
    properties.conditions = builder.getArrayAttr(conditions);
  }
  if (parseOptionalSchedule(parser, properties.schedule))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("plan"))) {
    auto plan = dyn_cast_if_present<PlanAttr>(PlanAttr::parse(parser, {}));
    if (!plan)
      return failure();
    properties.plan = plan;
  }
  if (parseKernelBody(parser, result, arguments))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printKernelParams(printer, getSymName(), getParams());
  printer << " grid(";
  llvm::interleaveComma(getAxes(), printer, [&](tile::AxisAttr axis) {
    printer << axis.getName().getValue() << " in ";
    axis.printClause(printer.getStream());
  });
  printer << ") warps(" << getWarps() << ")";
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster()) {
    printer << " cluster(";
    llvm::interleaveComma(*cluster, printer);
    printer << ")";
  }
  if (getPersistent())
    printer << " persistent";
  if (getForm() != Form::Planned)
    printer << " form(" << stringifyForm(getForm()) << ")";
  if (std::optional<int64_t> bytes = getSharedMemory())
    printer << " shared(" << *bytes << ")";
  if (ArrayAttr conditions = getConditionsAttr()) {
    printer << " requires(";
    llvm::interleaveComma(conditions.getAsRange<tile::SizeAttr>(), printer,
                          [&](tile::SizeAttr size) {
                            size.printExpression(printer.getStream());
                          });
    printer << ")";
  }
  printOptionalSchedule(printer, getScheduleAttr());
  // On lines of its own: what people edit.
  if (PlanAttr plan = getPlanAttr()) {
    printer << "\n    plan<";
    plan.printLists(printer, ",\n         ");
    printer << ">";
  }
  printKernelBody(
      printer, *this,
      {getSymNameAttrName(), getParamNamesAttrName(), getGridAttrName(),
       getWarpsAttrName(), getPersistentAttrName(), getFormAttrName(),
       getSharedMemoryAttrName(), getScheduleAttrName(),
       getConditionsAttrName(), getClusterAttrName(), getPlanAttrName()});
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  // The names of an op that does not verify may be fewer than its arguments.
  for (auto [argument, name] :
       llvm::zip(region.getArguments(), getParamNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

std::optional<unsigned> KernelOp::getClusterAxis() {
  ArrayRef<int64_t> sizes = getCluster().value_or(ArrayRef<int64_t>());
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (size > 1)
      return axis;
  return std::nullopt;
}

int64_t KernelOp::getClusterSize() {
  std::optional<unsigned> axis = getClusterAxis();
  return axis ? (*getCluster())[*axis] : 1;
}

SmallVector<tile::SizeAttr> KernelOp::getProgramCounts() {
  SmallVector<tile::SizeAttr> counts;
  for (auto [index, axis] : llvm::enumerate(getAxes())) {
    tile::SizeAttr size = axis.getSize();
    AffineExpr count = size.getExpr();
    if (axis.isTiled())
      count = count.ceilDiv(axis.getTileExtent());
    if (getClusterAxis() == index)
      count = count.ceilDiv(getClusterSize());
    counts.push_back(
        tile::SizeAttr::getNormalized(getContext(), size.getSymbols(), count));
  }
  return counts;
}

/// C7
static LogicalResult verifyCluster(KernelOp kernel) {
  std::optional<ArrayRef<int64_t>> cluster = kernel.getCluster();
  if (!cluster)
    return success();
  if (cluster->size() > kernel.getAxes().size())
    return kernel.emitOpError()
           << "has " << kernel.getAxes().size() << " axes, but a cluster along "
           << cluster->size();
  int64_t most = getTarget(kernel).blocksPerCluster;
  unsigned above = 0;
  for (int64_t size : *cluster) {
    if (size < 1 || size > most)
      return kernel.emitOpError()
             << "expected clusters of 1 to " << most << " CTAs, got " << size;
    above += size > 1;
  }
  if (above > 1)
    return kernel.emitOpError()
           << "expected a cluster along one axis, got " << above;
  return success();
}

LogicalResult sm::verifyInCluster(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && !kernel.getClusterAxis())
    return op->emitOpError() << "has to do with other CTAs of a cluster; "
                                "expected a kernel with 'cluster(…)'";
  return success();
}

LogicalResult ClusterBarrierOp::verify() {
  if (failed(verifyBesideRoles(*this)))
    return failure();
  return verifyInCluster(*this);
}

bool sm::isGridBarrier(Operation *op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && barrier.getGrid();
}

bool sm::hasGridBarrier(KernelOp kernel) {
  WalkResult walk = kernel.walk([](BarrierOp barrier) {
    return barrier.getGrid() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

LogicalResult BarrierOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!getGrid() || !kernel)
    return success();
  if (kernel.getClusterAxis() || kernel.getPersistent()) // C1
    return emitOpError() << "waits for the grid; expected a kernel without "
                            "clusters that is not persistent";
  auto role = (*this)->getParentOfType<RoleOp>();
  WalkResult walk = kernel.walk([&](BarrierOp other) -> WalkResult {
    if (!other.getGrid() || other->getParentOfType<RoleOp>() == role)
      return success();
    InFlightDiagnostic diagnostic =
        emitOpError() << "waits for the grid; expected one role with such "
                         "barriers";
    diagnostic.attachNote(other.getLoc()) << "one of another role is here";
    return diagnostic;
  });
  return failure(walk.wasInterrupted());
}

LogicalResult NextProgramOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return emitOpError() << "expected to be in an elected role";
  auto kernel = role->getParentOfType<KernelOp>();
  if (!kernel.getPersistent() || kernel.getClusterAxis())
    return emitOpError() << "expected a persistent kernel without clusters";
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// C4: what `setmaxnreg` hands out must have been allocated at launch, else the
/// last warpgroup waits for ever (docs/design/sm.md, "Agents").
static LogicalResult verifyRegisters(KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  int64_t atEntry = target.getRegistersAtEntry(kernel.getThreads());
  int64_t wanted = 0;
  bool any = false;
  // A warpgroup has the budget of its roles, which must agree.
  int64_t warp = 0, inGroup = atEntry;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    int64_t budget = role.getRegisters().value_or(atEntry);
    any |= role.getRegisters().has_value();
    if (warp % target.warpsPerWarpgroup != 0 && budget != inGroup)
      return role.emitOpError()
             << "shares its warpgroup with a role of " << inGroup
             << " registers; expected the same budget, got " << budget;
    int64_t warps = role.getWarps();
    wanted += budget * warps;
    warp += warps;
    inGroup = budget;
  }
  int64_t allocated = atEntry * (kernel.getThreads() / target.warpSize);
  if (any && wanted > allocated)
    return kernel.emitOpError()
           << "asks for " << wanted << " registers in its roles, summed over "
           << "warps; a launch of " << kernel.getWarps() << " warps allocates "
           << allocated << " (" << atEntry
           << " per thread), and the last warpgroup would wait for ever";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  ArrayRef<Attribute> names = getParamNames().getValue();
  // C2
  if (names.size() != getParams().size())
    return emitOpError() << "expected " << names.size()
                         << " block arguments, one per parameter, got "
                         << getParams().size();
  llvm::StringSet<> seen;
  for (auto [index, param] : llvm::enumerate(getParams())) {
    if (!seen.insert(getParamName(index)).second)
      return emitOpError() << "has two parameters named '"
                           << getParamName(index) << "'";
    // C1
    if (!isa<tile::GlobalType, IndexType>(param.getType()) &&
        !tile::isElementType(param.getType()))
      return emitOpError() << "expected parameter '" << getParamName(index)
                           << "' to be a global tensor or a scalar, got "
                           << param.getType();
  }
  // C3
  const GpuTarget &target = getTarget(*this);
  int64_t maxWarps = target.threadsPerBlock / target.warpSize;
  int64_t warps = getWarps();
  if (warps < 1 || warps > maxWarps)
    return emitOpError() << "expected 1 to " << maxWarps << " warps, got "
                         << warps;
  if (failed(verifyCluster(*this)) || failed(verifyRoleContents(*this)) ||
      failed(verifyVotes(*this)) || failed(verifyPendingTiles(*this)) ||
      failed(verifyAddresses(*this)) || failed(verifyRingParts(*this)) ||
      failed(verifyPlan(*this)))
    return failure();
  auto roles = getBody().getOps<RoleOp>();
  if (roles.empty())
    return success();
  int64_t sum = 0;
  for (RoleOp role : roles)
    sum += role.getWarps();
  if (sum != warps)
    return emitOpError() << "expected the warps of its roles to sum to "
                         << warps << ", got " << sum;
  return verifyRegisters(*this);
}

int64_t RoleOp::getFirstWarp() {
  int64_t first = 0;
  for (RoleOp role : getOperation()->getBlock()->getOps<RoleOp>()) {
    if (role == *this)
      break;
    first += role.getWarps();
  }
  return first;
}

LogicalResult RoleOp::verify() {
  const GpuTarget &target = getTarget(*this);
  if (getWarps() < 1)
    return emitOpError() << "expected at least one warp, got " << getWarps();
  // C2
  if (std::optional<int64_t> budget = getRegisters())
    if (*budget < target.minMaxRegisters || *budget > target.maxMaxRegisters ||
        *budget % target.registerStep != 0)
      return emitOpError() << "expected a multiple of " << target.registerStep
                           << " registers from " << target.minMaxRegisters
                           << " to " << target.maxMaxRegisters << ", got "
                           << *budget;
  return success();
}
