//===- KernelSignature.cpp - The arguments of a lowered kernel --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the arguments that the code of a kernel uses: addresses of tensors,
// scalars, sizes, strides, tensor maps, the counter of programs and the buffer
// of checks. Invariant: an argument is added once, and its position is the same
// in the function and in the metadata.
//
//===----------------------------------------------------------------------===//

#include "KernelSignature.h"

#include "tessera/Array/BoundedJson.h"
#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/Tile/IR/ArrayElement.h"
#include "tessera/Dialect/Tile/IR/ReportBuffer.h"
#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;
using array::ElementType;
using rt::ArgumentInfo;
using rt::ParameterInfo;
using rt::SizeExpression;

/// Returns the type of arguments. An `index` has 32 bits.
static ElementType getElementType(Type type) {
  return type.isIndex() ? ElementType::I32 : *tile::getArrayElement(type);
}

/// Returns the type of a scalar argument. Launches pass at least a byte.
static Type getScalarArgumentType(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isIndex())
    return IntegerType::get(context, 32);
  if (type.isInteger(1) || isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return IntegerType::get(context, 8);
  return type;
}

/// Parses an expression of a dialect attribute; the launcher can parse the same
/// text.
static SizeExpression getExpression(StringRef text) {
  return llvm::cantFail(SizeExpression::parse(text));
}

static std::string parenthesise(tile::SizeAttr size) {
  return "(" + size.str() + ")";
}

//===----------------------------------------------------------------------===//
// Strides of dense tensors
//===----------------------------------------------------------------------===//

std::string KernelSignature::getStrideExpression(tile::GlobalType type,
                                                 int64_t dim) {
  return llvm::join(
      llvm::map_range(type.getShape().drop_front(dim + 1), parenthesise),
      " * ");
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Returns the name of a kernel in PTX, normally its own name. Three kinds of
/// names are changed: words of PTX, names that each module declares, and quoted
/// names with characters that PTX does not permit (PTX ISA, Identifiers). Such
/// characters are written in hex digits after a dollar sign.
static std::string getEntryName(KernelOp kernel) {
  std::string name;
  llvm::raw_string_ostream os(name);
  for (auto [i, c] : llvm::enumerate(kernel.getSymName()))
    if (llvm::isAlpha(c) || c == '_' || (i && (llvm::isDigit(c) || c == '$')))
      os << c;
    else
      os << '$'
         << llvm::utohexstr(static_cast<uint8_t>(c), /*LowerCase=*/true,
                            /*Width=*/2);
  while (name == "_" || name == "WARP_SZ" || name == kSharedMemorySymbol ||
         (name != kernel.getSymName() &&
          kernel->getParentOfType<ModuleOp>().lookupSymbol(name)))
    name += "_";
  return name;
}

/// Checks whether a tensor operand of `op` is accessed by its address: tensor
/// copies use a map.
static bool accessesByAddress(Operation *op) { return !getTensorMapRecipe(op); }

namespace tessera::sm {
class SignatureBuilder {
public:
  SignatureBuilder(KernelOp kernel) : kernel(kernel) {}

  FailureOr<KernelSignature> build() {
    rt::KernelMetadata &metadata = result.metadata;
    metadata.name = getSourceName(kernel).str();
    metadata.entry = getEntryName(kernel);
    metadata.persistent = kernel.getPersistent();
    metadata.cooperative = hasGridBarrier(kernel);
    // All blocks of a cooperative launch start together.
    metadata.overlapsPrevious = !metadata.cooperative;
    metadata.cluster[0] = kernel.getClusterSize();
    metadata.threads = kernel.getThreads();
    metadata.sharedMemory = kernel.getSharedMemory().value_or(0);
    if (llvm::Error error = addReports())
      return kernel.emitOpError() << "has a wrong '" << tile::kReportsAttrName
                                  << "': " << llvm::toString(std::move(error));
    addParameters();
    addConditions();
    addAlignments();
    addAddressesAndScalars();
    addSizes();
    addStrides();
    addTensorMaps();
    addCounter();
    addGrid();
    for (StringAttr name : symbols)
      metadata.sizes.push_back(name.str());
    if (llvm::Error error = rt::verifyKernelMetadata(metadata))
      return kernel.emitOpError()
             << "cannot be launched: " << llvm::toString(std::move(error));
    return result;
  }

private:
  void use(tile::SizeAttr size) { symbols.insert_range(size.getSymbols()); }

  /// Describes the buffer of checks and prints, which no caller passes.
  llvm::Error addReports() {
    auto text = kernel->getAttrOfType<StringAttr>(tile::kReportsAttrName);
    if (!text)
      return llvm::Error::success();
    llvm::Expected<llvm::json::Value> value = array::parseJson(text.getValue());
    if (!value)
      return value.takeError();
    llvm::json::Path::Root root("reports");
    if (!rt::fromJSON(*value, result.metadata.reports.emplace(), root))
      return root.getError();
    return llvm::Error::success();
  }

  void addParameters() {
    std::optional<unsigned> reports = tile::getReportParam(kernel);
    for (auto [index, argument] : llvm::enumerate(kernel.getParams())) {
      if (index == reports)
        continue;
      ParameterInfo info;
      info.name = kernel.getParamName(index).str();
      auto type = dyn_cast<tile::GlobalType>(argument.getType());
      info.kind =
          type ? ParameterInfo::Kind::Tensor : ParameterInfo::Kind::Scalar;
      info.dtype = ::getElementType(
          type
              ? type.getDeclaredType()
              : tile::getDeclaredScalarType(kernel, index, argument.getType()));
      info.isIndex = argument.getType().isIndex();
      if (type) {
        info.access = type.getAccess() == tile::Access::In
                          ? ParameterInfo::Access::Read
                      : type.getAccess() == tile::Access::Out
                          ? ParameterInfo::Access::Write
                          : ParameterInfo::Access::ReadWrite;
        for (tile::SizeAttr extent : type.getShape()) {
          use(extent);
          info.dims.push_back(getExpression(extent.str()));
        }
      }
      result.metadata.parameters.push_back(std::move(info));
    }
  }

  void addConditions() {
    if (ArrayAttr conditions = kernel.getConditionsAttr())
      for (auto condition : conditions.getAsRange<tile::SizeAttr>()) {
        use(condition);
        result.metadata.conditions.push_back(getExpression(condition.str()));
      }
  }

  /// Adds the alignments of tensors that aligned vectors access.
  void addAlignments() {
    llvm::MapVector<unsigned, int64_t> bytes;
    auto add = [&](Value global, Type tile) {
      Type element = cast<RankedTensorType>(tile).getElementType();
      int64_t width =
          getGlobalVectorWidth(getLayout(tile), getElementBytes(element));
      int64_t &most = bytes[cast<BlockArgument>(global).getArgNumber()];
      most = std::max(most, width * getElementBytes(element));
    };
    kernel.walk([&](Operation *op) {
      if (!op->hasAttr(kAlignedAttrName))
        return;
      if (auto load = dyn_cast<LoadOp>(op))
        add(load.getGlobal(), load.getType());
      else if (auto store = dyn_cast<StoreOp>(op))
        add(store.getGlobal(), store.getValue().getType());
    });
    for (auto [parameter, most] : bytes)
      result.metadata.alignments.push_back({parameter, most});
  }

  void addAddressesAndScalars() {
    MLIRContext *context = kernel.getContext();
    for (auto [index, argument] : llvm::enumerate(kernel.getParams()))
      if (isa<tile::GlobalType>(argument.getType()) &&
          llvm::any_of(argument.getUsers(), accessesByAddress)) {
        ArgumentInfo info;
        info.kind = tile::getReportParam(kernel) == index
                        ? ArgumentInfo::Kind::Reports
                        : ArgumentInfo::Kind::Address;
        info.index = index;
        result.add(info, LLVM::LLVMPointerType::get(context, 1));
      }
    for (auto [index, argument] : llvm::enumerate(kernel.getParams()))
      if (!isa<tile::GlobalType>(argument.getType())) {
        ArgumentInfo info;
        info.kind = ArgumentInfo::Kind::Scalar;
        info.index = index;
        result.add(info, getScalarArgumentType(argument.getType()));
      }
  }

  void addSize(StringRef text, ElementType type) {
    ArgumentInfo info;
    info.kind = ArgumentInfo::Kind::Size;
    info.type = type;
    info.size = getExpression(text);
    result.add(info, IntegerType::get(kernel.getContext(),
                                      type == ElementType::I32 ? 32 : 64));
  }

  void addSizes() {
    kernel.walk([&](tile::SizeOp op) {
      use(op.getSize());
      if (!op.getSize().getConstantValue() &&
          !result.findSize(op.getSize().str()))
        addSize(op.getSize().str(), ElementType::I32);
    });
  }

  void addStrides() {
    for (BlockArgument argument : kernel.getParams()) {
      auto type = dyn_cast<tile::GlobalType>(argument.getType());
      if (!type || llvm::none_of(argument.getUsers(), accessesByAddress))
        continue;
      // Fetches by whole chunks need the end of the tensor.
      bool isFetched = llvm::any_of(argument.getUsers(),
                                    llvm::IsaPred<FetchOp, FetchStartOp>);
      for (int64_t dim = isFetched ? -1 : 0; dim < type.getRank(); ++dim) {
        std::string text = KernelSignature::getStrideExpression(type, dim);
        if (!sm::getConstantStride(type, dim) && !result.findStride(text))
          addSize(text, ElementType::I64);
      }
    }
  }

  void addTensorMaps() {
    kernel.walk([&](Operation *op) {
      std::optional<rt::TensorMapRecipe> recipe = getTensorMapRecipe(op);
      if (!recipe || result.findTensorMap(*recipe))
        return;
      ArgumentInfo info;
      info.kind = ArgumentInfo::Kind::TensorMap;
      info.index = result.metadata.tensorMaps.size();
      result.metadata.tensorMaps.push_back(*recipe);
      result.add(info, LLVM::LLVMPointerType::get(kernel.getContext()));
    });
  }

  void addCounter() {
    bool draws =
        kernel.walk([](NextProgramOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (!draws && !hasGridBarrier(kernel))
      return;
    ArgumentInfo info;
    info.kind = ArgumentInfo::Kind::Counter;
    result.add(info, LLVM::LLVMPointerType::get(kernel.getContext(), 1));
  }

  void addGrid() {
    std::vector<std::string> factors;
    for (auto [index, axis] : llvm::enumerate(kernel.getAxes())) {
      use(axis.getSize());
      std::string size = parenthesise(axis.getSize());
      if (axis.isTiled())
        size = "(" + size + " ceildiv " + std::to_string(axis.getTileExtent()) +
               ")";
      // The last cluster is complete.
      if (kernel.getClusterAxis() == index) {
        std::string cluster = std::to_string(kernel.getClusterSize());
        size = "((" + size + " ceildiv " + cluster + ") * " + cluster + ")";
      }
      factors.push_back(size);
    }
    std::string product = factors.empty() ? "1" : llvm::join(factors, " * ");
    result.metadata.grid = {getExpression(product), getExpression("1"),
                            getExpression("1")};
  }

  KernelOp kernel;
  KernelSignature result;
  llvm::SetVector<StringAttr> symbols;
};
} // namespace tessera::sm

FailureOr<KernelSignature> KernelSignature::get(KernelOp kernel) {
  return SignatureBuilder(kernel).build();
}

void KernelSignature::add(ArgumentInfo argument, Type type) {
  metadata.arguments.push_back(std::move(argument));
  types.push_back(type);
}

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

/// Returns the position of the first argument for which `matches` holds.
template <typename Predicate>
static std::optional<unsigned> find(const rt::KernelMetadata &metadata,
                                    Predicate matches) {
  auto found = llvm::find_if(metadata.arguments, matches);
  if (found == metadata.arguments.end())
    return std::nullopt;
  return found - metadata.arguments.begin();
}

std::optional<unsigned> KernelSignature::findAddress(unsigned parameter) const {
  return find(metadata, [&](const ArgumentInfo &info) {
    return (info.kind == ArgumentInfo::Kind::Address ||
            info.kind == ArgumentInfo::Kind::Reports) &&
           info.index == parameter;
  });
}

std::optional<unsigned> KernelSignature::findScalar(unsigned parameter) const {
  return find(metadata, [&](const ArgumentInfo &info) {
    return info.kind == ArgumentInfo::Kind::Scalar && info.index == parameter;
  });
}

std::optional<unsigned> KernelSignature::findSize(StringRef expression) const {
  return find(metadata, [&](const ArgumentInfo &info) {
    return info.size && info.type == ElementType::I32 &&
           info.size->getText() == expression;
  });
}

std::optional<unsigned>
KernelSignature::findStride(StringRef expression) const {
  return find(metadata, [&](const ArgumentInfo &info) {
    return info.size && info.type == ElementType::I64 &&
           info.size->getText() == expression;
  });
}

unsigned KernelSignature::getTensorMapArgument(unsigned map) const {
  return *find(metadata, [&](const ArgumentInfo &info) {
    return info.kind == ArgumentInfo::Kind::TensorMap && info.index == map;
  });
}

std::optional<unsigned> KernelSignature::findCounter() const {
  return find(metadata, [](const ArgumentInfo &info) {
    return info.kind == ArgumentInfo::Kind::Counter;
  });
}

std::optional<unsigned>
KernelSignature::findTensorMap(const rt::TensorMapRecipe &recipe) const {
  for (auto [index, known] : llvm::enumerate(metadata.tensorMaps))
    if (known.parameter == recipe.parameter && known.order == recipe.order &&
        known.box == recipe.box && known.swizzle == recipe.swizzle)
      return index;
  return std::nullopt;
}
