//===- PtxasReport.cpp - Reading the output of ptxas ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the output of ptxas line by line. Relevant lines have these shapes;
// all others are ignored:
//
//   ptxas info    : Compiling entry function 'k' for 'sm_90a'
//   ptxas info    : Function properties for k
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 8 registers, used 1 barriers, 16 bytes smem, 8 bytes
//   cmem[0]
//   ptxas info    : (C7513) Potential Performance Loss: … in the function 'k'
//   ptxas info    : (C7517) wgmma.wait_group is injected in around line 33 …
//   ptxas FILE, line 7; error   : Unexpected instruction types …
//   ptxas fatal   : Unresolved extern function 'f'
//
//===----------------------------------------------------------------------===//

#include "PtxasHazards.h"
#include "tessera/Target/PTX/Ptxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera::ptx;
using llvm::StringRef;
using Severity = PtxasMessage::Severity;

bool PtxasReport::hasErrors() const {
  return llvm::any_of(messages, [](const PtxasMessage &message) {
    return message.severity == Severity::Error;
  });
}

char PtxasError::ID;

void PtxasError::log(llvm::raw_ostream &os) const {
  llvm::interleave(
      messages, os,
      [&](const PtxasMessage &message) {
        os << "ptxas: " << message.text;
        if (!message.code.empty())
          os << " (" << message.code << ")";
        if (!message.remedy.empty())
          os << "; " << message.remedy;
      },
      "\n");
}

std::error_code PtxasError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

/// Adds the quantities of "0 bytes stack frame, Used 8 registers, …".
static void readQuantities(StringRef text, KernelResources &kernel) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    if (!part.consume_front("used "))
      part.consume_front("Used ");
    int64_t value = 0;
    if (part.consumeInteger(10, value))
      continue;
    part = part.trim();
    if (part.starts_with("registers"))
      kernel.registers = value;
    else if (part.starts_with("barriers"))
      kernel.barriers = value;
    else if (part.starts_with("bytes smem"))
      kernel.sharedBytes = value;
    else if (part.starts_with("bytes cmem"))
      kernel.constantBytes += value;
    else if (part.starts_with("bytes stack frame"))
      kernel.stackBytes = value;
    else if (part.starts_with("bytes spill stores"))
      kernel.spillStoreBytes = value;
    else if (part.starts_with("bytes spill loads"))
      kernel.spillLoadBytes = value;
  }
}

/// Returns the text between the first pair of single quotes after `marker`.
static std::string quotedAfter(StringRef text, StringRef marker) {
  size_t position = text.find(marker);
  if (position == StringRef::npos)
    return {};
  return text.drop_front(position + marker.size()).split('\'').first.str();
}

/// Removes "(C7513) " from the start of `text`, and returns the code.
static std::string takeCode(StringRef &text) {
  auto [head, rest] = text.split(") ");
  if (!head.consume_front("(C") || head.empty() ||
      !llvm::all_of(head, llvm::isDigit))
    return {};
  text = rest;
  return ("C" + head).str();
}

/// Parses a line "ptxas …: TEXT" that is not a report of resources.
static void readMessage(StringRef head, StringRef text,
                        std::vector<PtxasMessage> &messages) {
  PtxasMessage message;
  if (head.contains("error") || head.contains("fatal"))
    message.severity = Severity::Error;
  else if (head.contains("warning"))
    message.severity = Severity::Warning;
  message.code = takeCode(text);
  bool hazard = isPtxasHazard(message.code, text);
  message.isOfRegisters = text.contains("Insufficient registers");
  if (message.severity == Severity::Info && !hazard)
    return;
  if (hazard) {
    const PtxasHazard *known = findPtxasHazard(text);
    message.severity = Severity::Error;
    message.isOfRegisters = known && known->isOfRegisters;
    message.effect = known ? known->effect : HazardEffect::Unknown;
    message.remedy = known
                         ? known->remedy.str()
                         : "this hazard has no row in the table of hazards yet";
  }
  StringRef line = head.split(", line ").second;
  // Some hazards end in the line: "… in the function 'k' in line 7".
  if (line.empty())
    line = text.split(" line ").second;
  line.consumeInteger(10, message.line);
  message.text = text.str();
  message.kernel = quotedAfter(text, "function '");
  messages.push_back(std::move(message));
}

/// Returns the entry for the kernel `name`, or null: functions that were not
/// inlined are reported like kernels.
static KernelResources *findKernel(PtxasReport &report, StringRef name) {
  for (KernelResources &kernel : report.kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

/// Returns the name in ".visible .entry NAME(" of a line of PTX, or an empty
/// text.
static StringRef getEntry(StringRef line) {
  auto [before, entry] = line.split(".entry ");
  return entry.take_until([](char c) { return c == '(' || c == ' '; });
}

/// Parses " .loc 1 4 3" or ".loc 1 4 3, function_name …" into `place`, and the
/// number of the file into `file`.
static bool readLoc(StringRef line, unsigned &file,
                    PtxasMessage::Place &place) {
  line = line.trim();
  auto next = [&](unsigned &number) {
    line = line.ltrim();
    return !line.consumeInteger(10, number);
  };
  return line.consume_front(".loc") && next(file) && next(place.line) &&
         next(place.column);
}

/// Returns the name in ".file 1 \"name\"" for the number `file`, or an empty
/// text.
static StringRef findFile(llvm::ArrayRef<StringRef> lines, unsigned file) {
  for (StringRef line : lines) {
    unsigned number = 0;
    line = line.trim();
    if (!line.consume_front(".file"))
      continue;
    line = line.ltrim();
    if (!line.consumeInteger(10, number) && number == file)
      return line.split('"').second.split('"').first;
  }
  return {};
}

/// Finds the `.loc` that applies to line number `line` of its kernel.
static PtxasMessage::Place findPlace(llvm::ArrayRef<StringRef> lines,
                                     unsigned line) {
  PtxasMessage::Place place;
  unsigned file = 0;
  for (; line > 0 && getEntry(lines[line - 1]).empty(); --line)
    if (readLoc(lines[line - 1], file, place)) {
      place.file = findFile(lines, file).str();
      return place;
    }
  return {};
}

/// Completes the messages from the PTX text at their lines. A message without a
/// line is attributed to the only kernel, if there is only one.
static void traceMessages(std::vector<PtxasMessage> &messages, StringRef ptx) {
  llvm::SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  llvm::SmallVector<StringRef> entries;
  for (StringRef line : lines)
    if (StringRef entry = getEntry(line); !entry.empty())
      entries.push_back(entry);
  for (PtxasMessage &message : messages) {
    if (message.kernel.empty() && entries.size() == 1)
      message.kernel = entries.front().str();
    if (message.line == 0 || message.line > lines.size())
      continue;
    message.source = lines[message.line - 1].trim().str();
    message.place = findPlace(lines, message.line);
    for (unsigned line = message.line; line > 0 && message.kernel.empty();
         --line)
      message.kernel = getEntry(lines[line - 1]).str();
  }
}

PtxasReport tessera::ptx::parsePtxasOutput(StringRef output, StringRef ptx) {
  PtxasReport report;
  KernelResources *current = nullptr;
  llvm::SmallVector<StringRef> lines;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.starts_with("ptxas ")) {
      if (current && line.contains("bytes stack frame"))
        readQuantities(line, *current);
      continue;
    }
    // The severity is padded: "ptxas info : ", "… error : ".
    auto pieces = line.split(" : ");
    StringRef text = pieces.second.trim();
    if (text.consume_front("Compiling entry function '")) {
      report.kernels.emplace_back();
      current = &report.kernels.back();
      current->name = text.split('\'').first.str();
    } else if (text.consume_front("Function properties for ")) {
      current = findKernel(report, text.trim());
    } else if (text.starts_with("Used ")) {
      if (current)
        readQuantities(text, *current);
    } else {
      readMessage(pieces.first, text, report.messages);
    }
  }
  traceMessages(report.messages, ptx);
  return report;
}
