//===- HostModule.cpp - A compiled source with its diagnostics --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "HostArrays.h"

#include "tessera/Dialect/Tile/IR/UnsignedParams.h"
#include "tessera/Frontend/Modules.h"
#include "tessera/InitAll.h"
#include "tessera/Target/PTX/EmitPTX.h"
#include "tessera/Tools/DiagnosticExcerpt.h"
#include "tessera/Tools/KernelInput.h"
#include "tessera/Tools/KernelLaunch.h"
#include "tessera/Tools/OutsideLoads.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::tools;
using rt::ParameterInfo;
using rt::SizeExpression;
using rt::TensorArgument;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  ptx::registerEmissionDialects(registry);
  return registry;
}

HostModule::HostModule()
    : registry(makeRegistry()),
      context(registry, MLIRContext::Threading::DISABLED),
      handler(sourceMgr, &context, os) {
  // A message points to the source; the op would be printed with its regions.
  context.printOpOnDiagnostic(false);
  printExcerpts(sourceMgr, os);
}

std::string HostModule::takeMessages() {
  std::string taken = StringRef(messages).rtrim().str();
  messages.clear();
  return taken;
}

void HostModule::addText(const HostSource &source) {
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source.text, source.file), SMLoc());
  // The front end finds these buffers by their paths.
  for (const auto &[path, text] : source.files)
    sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                     text, frontend::normalisePath(path)),
                                 SMLoc());
}

llvm::Expected<std::string> HostModule::describe(const HostSource &source) {
  addText(source);
  FailureOr<std::string> text = frontend::describeKernels(sourceMgr, &context);
  if (failed(text))
    return llvm::make_error<HostCompileError>(takeMessages());
  return *text;
}

llvm::Expected<std::string> tools::describeSource(const HostSource &source) {
  return HostModule().describe(source);
}

llvm::Error HostModule::compile(const HostSource &source,
                                const HostOptions &hostOptions) {
  addText(source);
  frontend::CompileOptions options;
  options.kernel = source.kernel;
  options.defines = source.defines;
  module = readKernels(sourceMgr, &context, options);
  if (!module)
    return llvm::make_error<HostCompileError>(takeMessages());
  if (!llvm::hasSingleElement(module->getOps<tile::KernelOp>()))
    return array::makeError("'" + source.file +
                            "' has several kernels; name one of them");
  if (hostOptions.fillsOutside)
    fillOutsideLoads(*module);
  return llvm::Error::success();
}

void HostModule::keepReports() {
  if (interp::hasReports(*module))
    reports = module->clone();
}

llvm::Error HostModule::runReports(llvm::ArrayRef<rt::Argument> arguments,
                                   const llvm::StringMap<int64_t> &sizes,
                                   const StepLimit &limit) {
  if (!reports)
    return llvm::Error::success();
  tile::KernelOp kernel = *reports->getOps<tile::KernelOp>().begin();
  llvm::Expected<interp::Launch> launch =
      makeLaunch(kernel, arguments, sizes, "interpreter");
  if (!launch)
    return launch.takeError();
  interp::RunOptions options;
  options.stepLimit = limit;
  if (succeeded(interp::run(*launch, options)))
    return llvm::Error::success();
  return llvm::make_error<HostDefectError>(HostDefectError::Kind::Execution,
                                           takeMessages());
}

tile::KernelOp HostModule::getKernel() {
  return *module->getOps<tile::KernelOp>().begin();
}

static ParameterInfo::Access getAccess(tile::Access access) {
  switch (access) {
  case tile::Access::In:
    return ParameterInfo::Access::Read;
  case tile::Access::Out:
    return ParameterInfo::Access::Write;
  case tile::Access::InOut:
    return ParameterInfo::Access::ReadWrite;
  }
  llvm_unreachable("not an access");
}

rt::KernelMetadata tools::describeKernel(const interp::KernelView &kernel) {
  rt::KernelMetadata metadata;
  metadata.name = kernel.getSymName().str();
  llvm::SmallSetVector<StringAttr, 8> sizes;
  for (auto [i, argument] : llvm::enumerate(kernel.getParams())) {
    ParameterInfo info;
    info.name = kernel.getParamName(i).str();
    // The strides of the caller are respected.
    info.dense = false;
    Type type = argument.getType();
    auto tensor = dyn_cast<tile::GlobalType>(type);
    info.kind =
        tensor ? ParameterInfo::Kind::Tensor : ParameterInfo::Kind::Scalar;
    if (tensor) {
      info.access = getAccess(tensor.getAccess());
      for (tile::SizeAttr extent : tensor.getShape()) {
        sizes.insert_range(extent.getSymbols());
        info.dims.push_back(
            llvm::cantFail(SizeExpression::parse(extent.str())));
      }
      type = tensor.getDeclaredType();
    } else {
      type = tile::getDeclaredScalarType(kernel.getOperation(), i, type);
    }
    info.isIndex = type.isIndex();
    // As in packages, an index has 32 bits.
    info.dtype = type.isIndex() ? array::ElementType::I32
                                : *interp::getElementType(type);
    metadata.parameters.push_back(std::move(info));
  }
  for (StringAttr name : sizes)
    metadata.sizes.push_back(name.str());
  // No blocks: the device lays out the grid itself.
  metadata.grid.assign(3, llvm::cantFail(SizeExpression::parse("0")));
  return metadata;
}

llvm::Expected<interp::SizeBinding>
tools::bindSizes(const interp::KernelView &kernel,
                 llvm::ArrayRef<rt::Argument> arguments,
                 const llvm::StringMap<int64_t> &sizes) {
  SmallVector<interp::SizeBinding::Known> known;
  for (auto [argument, param] : llvm::zip(arguments, kernel.getParams())) {
    auto &entry = known.emplace_back();
    if (const auto *tensor = std::get_if<TensorArgument>(&argument))
      entry.shape.emplace(tensor->shape.begin(), tensor->shape.end());
    else if (param.getType().isIndex())
      entry.index = std::get<int64_t>(argument);
  }
  return interp::SizeBinding::bind(kernel, known, sizes);
}

/// Checks whether the rows are contiguous and the elements aligned, so that all
/// executors can read them where they are.
static bool hasDenseRows(const TensorArgument &tensor) {
  bool isContiguous = tensor.shape.empty() || tensor.strides.back() == 1 ||
                      tensor.shape.back() <= 1;
  return isContiguous && tensor.address % array::getByteSize(tensor.dtype) == 0;
}

llvm::Expected<interp::Launch>
tools::makeLaunch(const interp::KernelView &kernel,
                  llvm::ArrayRef<rt::Argument> arguments,
                  const llvm::StringMap<int64_t> &sizes, StringRef device) {
  llvm::Expected<interp::SizeBinding> bound =
      bindSizes(kernel, arguments, sizes);
  if (!bound)
    return bound.takeError();
  interp::Launch launch(kernel, *bound);
  int64_t elements = 0;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    StringRef name = kernel.getParamName(i);
    Type type = kernel.getParams()[i].getType();
    const auto *tensor = std::get_if<TensorArgument>(&argument);
    if (!tensor) {
      launch.addScalar(interp::Tile::fromArray(
          makeScalar(*interp::getElementType(type), argument)));
      continue;
    }
    if (llvm::Error error = addElements(name, tensor->shape, elements, device))
      return std::move(error);
    tile::Access access = cast<tile::GlobalType>(type).getAccess();
    if (access == tile::Access::Out)
      launch.addTensor(interp::GlobalTensor::getPoisoned(name, tensor->dtype,
                                                         tensor->shape));
    else if (access == tile::Access::In && hasDenseRows(*tensor))
      launch.addTensor(interp::GlobalTensor::getBorrowed(
          name, tensor->dtype, reinterpret_cast<const void *>(tensor->address),
          tensor->shape, tensor->strides));
    else
      launch.addTensor(interp::GlobalTensor(name, gather(*tensor),
                                            access != tile::Access::In));
  }
  return launch;
}

llvm::Error tools::finishLaunch(interp::Launch &launch,
                                const rt::KernelMetadata &kernel,
                                llvm::ArrayRef<rt::Argument> arguments) {
  if (llvm::Error error = checkWritten(kernel, arguments, [&](unsigned index) {
        Unwritten unwritten;
        unwritten.count =
            launch.getTensor(index)->countUnwritten(&unwritten.first);
        return unwritten;
      }))
    return error;
  writeResults(kernel, arguments, [&](unsigned index) {
    return launch.getTensor(index)->takeArray();
  });
  return llvm::Error::success();
}
