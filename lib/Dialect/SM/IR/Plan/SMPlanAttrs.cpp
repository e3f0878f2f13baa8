//===- SMPlanAttrs.cpp - Attributes of plans --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keywords.h"

#include "tessera/Dialect/SM/IR/RingDepth.h"
#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::sm;

/// The most buffers of an `sm.tma.store` (its C5).
static constexpr int64_t kMostBuffers = 8;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Prints the name of an entry, in quotes if need be, and what follows it.
static void printName(AsmPrinter &os, StringRef name) {
  os.printKeywordOrString(name);
  os << " : ";
}

void PlannedRoleAttr::printEntry(AsmPrinter &os) const {
  printName(os, getName());
  os << "warps " << getWarps() << " registers " << getRegisters();
  if (getElected())
    os << " elected";
  if (getTurns() != 1)
    os << " turns " << getTurns();
}

void PlannedRingAttr::printEntry(AsmPrinter &os) const {
  printName(os, getName());
  os << "slots " << getSlots() << ' ' << stringifyFiller(getFiller());
}

void PlannedStoreAttr::printEntry(AsmPrinter &os) const {
  printName(os, getName());
  if (getByRole())
    os << "slots " << getSlots() << " store";
  else
    os << "buffers " << getBuffers();
}

template <typename AttrTy>
static AttrTy parseEntry(AsmParser &parser);

/// Parses `name :`.
static ParseResult parseName(AsmParser &parser, std::string &name) {
  return failure(parser.parseKeywordOrString(&name) || parser.parseColon());
}

/// Parses a keyword and a number.
static ParseResult parseNumber(AsmParser &parser, StringRef keyword,
                               int64_t &number) {
  return failure(parser.parseKeyword(keyword) || parser.parseInteger(number));
}

template <>
PlannedRoleAttr parseEntry<PlannedRoleAttr>(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t warps, registers, turns = 1;
  if (parseName(parser, name) || parseNumber(parser, "warps", warps) ||
      parseNumber(parser, "registers", registers))
    return {};
  bool elected = succeeded(parser.parseOptionalKeyword("elected"));
  if (succeeded(parser.parseOptionalKeyword("turns")) &&
      parser.parseInteger(turns))
    return {};
  return parser.getChecked<PlannedRoleAttr>(loc, parser.getContext(),
                                            StringRef(name), warps, registers,
                                            elected, turns);
}

template <>
PlannedRingAttr parseEntry<PlannedRingAttr>(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t slots;
  if (parseName(parser, name) || parseNumber(parser, "slots", slots))
    return {};
  Filler filler;
  if (parseEnum<Filler>(parser, "'tma', 'threads', 'math' or 'transform'",
                        symbolizeFiller, filler))
    return {};
  return parser.getChecked<PlannedRingAttr>(loc, parser.getContext(),
                                            StringRef(name), slots, filler);
}

template <>
PlannedStoreAttr parseEntry<PlannedStoreAttr>(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (parseName(parser, name))
    return {};
  bool byRole = succeeded(parser.parseOptionalKeyword("slots"));
  int64_t count;
  if ((!byRole && parser.parseKeyword("buffers", " or 'slots'")) ||
      parser.parseInteger(count) || (byRole && parser.parseKeyword("store")))
    return {};
  return parser.getChecked<PlannedStoreAttr>(loc, parser.getContext(),
                                             StringRef(name), count, byRole);
}

template <typename AttrTy>
static Attribute parseAlone(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  AttrTy entry = parseEntry<AttrTy>(parser);
  if (!entry || parser.parseGreater())
    return {};
  return entry;
}

Attribute PlannedRoleAttr::parse(AsmParser &parser, Type) {
  return parseAlone<PlannedRoleAttr>(parser);
}
Attribute PlannedRingAttr::parse(AsmParser &parser, Type) {
  return parseAlone<PlannedRingAttr>(parser);
}
Attribute PlannedStoreAttr::parse(AsmParser &parser, Type) {
  return parseAlone<PlannedStoreAttr>(parser);
}

template <typename AttrTy>
static void printAlone(AttrTy entry, AsmPrinter &printer) {
  printer << "<";
  entry.printEntry(printer);
  printer << ">";
}

void PlannedRoleAttr::print(AsmPrinter &printer) const {
  printAlone(*this, printer);
}
void PlannedRingAttr::print(AsmPrinter &printer) const {
  printAlone(*this, printer);
}
void PlannedStoreAttr::print(AsmPrinter &printer) const {
  printAlone(*this, printer);
}

void PlanAttr::printLists(AsmPrinter &os, StringRef separator) const {
  llvm::ListSeparator between(separator);
  auto printList = [&](StringRef key, auto entries) {
    if (entries.empty())
      return;
    os << StringRef(between) << key << " = [";
    llvm::interleaveComma(entries, os,
                          [&](auto entry) { entry.printEntry(os); });
    os << "]";
  };
  printList("roles", getRoles());
  printList("rings", getRings());
  printList("stores", getStores());
  if (getRest() != 0)
    os << StringRef(between) << "rest = " << getRest();
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printLists(printer, ", ");
  printer << ">";
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<PlannedRoleAttr> roles;
  SmallVector<PlannedRingAttr> rings;
  SmallVector<PlannedStoreAttr> stores;
  int64_t rest = 0;
  llvm::StringSet<> seen;
  auto parseList = [&](auto &entries) {
    using AttrTy =
        typename std::remove_reference_t<decltype(entries)>::value_type;
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      AttrTy entry = parseEntry<AttrTy>(parser);
      entries.push_back(entry);
      return success(static_cast<bool>(entry));
    });
  };
  auto parseField = [&]() -> ParseResult {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(keyLoc) << "'" << key << "' is given twice";
    if (key == "roles")
      return parseList(roles);
    if (key == "rings")
      return parseList(rings);
    if (key == "stores")
      return parseList(stores);
    if (key == "rest")
      return parser.parseInteger(rest);
    return parser.emitError(keyLoc)
           << "expected 'roles', 'rings', 'stores' or 'rest', got '" << key
           << "'";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<PlanAttr>(loc, parser.getContext(), ArrayRef(roles),
                                     ArrayRef(rings), ArrayRef(stores), rest);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

/// C1 of roles
LogicalResult PlannedRoleAttr::verify(EmitError emitError, StringRef name,
                                      int64_t warps, int64_t, bool,
                                      int64_t turns) {
  if (warps < 1)
    return emitError() << "expected at least one warp of role '" << name
                       << "', got " << warps;
  if (turns < 1)
    return emitError() << "expected at least one turn of role '" << name
                       << "', got " << turns;
  return success();
}

/// C1 of rings
LogicalResult PlannedRingAttr::verify(EmitError emitError, StringRef name,
                                      int64_t slots, Filler) {
  if (slots < 1 || slots > kMostRingSlots)
    return emitError() << "expected 1 to " << kMostRingSlots
                       << " slots of ring '" << name << "', got " << slots;
  return success();
}

/// C1 of stores
LogicalResult PlannedStoreAttr::verify(EmitError emitError, StringRef name,
                                       int64_t count, bool byRole) {
  if (byRole && (count < 1 || count > kMostRingSlots))
    return emitError() << "expected 1 to " << kMostRingSlots
                       << " slots of store '" << name << "', got " << count;
  if (!byRole && (count < 1 || count > kMostBuffers))
    return emitError() << "expected 1 to " << kMostBuffers
                       << " buffers of store '" << name << "', got " << count;
  return success();
}

template <typename Entries>
static LogicalResult verifyNames(EmitError emitError, const Entries &entries,
                                 StringRef what) {
  llvm::StringSet<> seen;
  for (auto entry : entries)
    if (!seen.insert(entry.getName()).second)
      return emitError() << "has two " << what << " '" << entry.getName()
                         << "'";
  return success();
}

/// Whether a ring has slots that `filler` fills.
static auto isFilledBy(Filler filler) {
  return [=](PlannedRingAttr ring) { return ring.getFiller() == filler; };
}

/// C2 of plans
static LogicalResult verifyRoles(EmitError emitError,
                                 ArrayRef<PlannedRoleAttr> roles,
                                 ArrayRef<PlannedRingAttr> rings,
                                 ArrayRef<PlannedStoreAttr> stores) {
  bool isStored = llvm::any_of(
      stores, [](PlannedStoreAttr store) { return store.getByRole(); });
  if (roles.empty() && rings.empty() && !isStored)
    return success();
  if (llvm::none_of(rings, isFilledBy(Filler::Tma)) &&
      llvm::none_of(rings, isFilledBy(Filler::Threads)))
    return emitError() << "expected a ring that tensor copies or the "
                          "threads of 'fetch' fill; a kernel without one has "
                          "no roles";
  SmallVector<StringRef> wanted{"load"};
  if (llvm::any_of(rings, isFilledBy(Filler::Threads)))
    wanted.push_back("fetch");
  if (isStored)
    wanted.push_back("store");
  if (llvm::any_of(rings, isFilledBy(Filler::Transform)))
    wanted.push_back("transform");
  wanted.push_back("math");
  auto names = llvm::map_range(
      roles, [](PlannedRoleAttr role) { return role.getName(); });
  if (!llvm::equal(names, wanted)) {
    InFlightDiagnostic diagnostic = emitError() << "expected the roles ";
    llvm::interleaveComma(wanted, diagnostic);
    diagnostic << " of rings and stores as these, got ";
    llvm::interleaveComma(names, diagnostic);
    return diagnostic;
  }
  for (PlannedRoleAttr role : roles) {
    bool isElected = role == roles.front() || role.getName() == "store";
    if (role.getElected() != isElected)
      return emitError() << "expected 'load' and 'store' to be elected, and no "
                            "other role";
    if (role.getTurns() != 1 && role != roles.back())
      return emitError() << "role '" << role.getName()
                         << "' cannot take turns; 'math' can";
  }
  if (roles.back().getTurns() == 1)
    return success();
  if (isStored)
    return emitError() << "role 'math' cannot take turns where role 'store' "
                          "takes its tiles";
  if (llvm::any_of(rings, isFilledBy(Filler::Math)))
    return emitError() << "role 'math' cannot take turns where it fills a "
                          "ring";
  return success();
}

LogicalResult PlanAttr::verify(EmitError emitError,
                               ArrayRef<PlannedRoleAttr> roles,
                               ArrayRef<PlannedRingAttr> rings,
                               ArrayRef<PlannedStoreAttr> stores,
                               int64_t rest) {
  // C1
  if (failed(verifyNames(emitError, roles, "roles")) ||
      failed(verifyNames(emitError, rings, "rings")) ||
      failed(verifyNames(emitError, stores, "stores")))
    return failure();
  // C3
  if (rest < 0)
    return emitError() << "expected 'rest' not to be negative, got " << rest;
  return verifyRoles(emitError, roles, rings, stores);
}

template <typename Entries>
static auto findEntry(Entries entries, StringRef name) {
  for (auto entry : entries)
    if (entry.getName() == name)
      return entry;
  return typename Entries::value_type();
}

PlannedRingAttr PlanAttr::findRing(StringRef name) const {
  return findEntry(getRings(), name);
}

PlannedStoreAttr PlanAttr::findStore(StringRef name) const {
  return findEntry(getStores(), name);
}
