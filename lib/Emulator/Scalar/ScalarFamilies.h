//===- ScalarFamilies.h - Finders of families of instructions ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each finder knows the forms of some instructions for one kind of type; the
// table in ScalarForms.cpp assigns finders to instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_SCALAR_SCALARFAMILIES_H
#define TESSERA_LIB_EMULATOR_SCALAR_SCALARFAMILIES_H

#include "FormName.h"

namespace tessera::emu {

using FormFinder = llvm::Expected<ScalarForm>(FormName &name);

// IntegerForms.cpp
FormFinder findIntegerSum, findIntegerDivision, findIntegerSign,
    findIntegerExtremum, findAbsoluteDifference;
// ProductForms.cpp
FormFinder findIntegerProduct, findProduct24, findDotProduct;
// BitForms.cpp
FormFinder findLogic, findComplement, findTernaryLogic, findBitCount,
    findLeadingBit;
// ShiftForms.cpp
FormFinder findShift, findFunnelShift;
// FieldForms.cpp
FormFinder findFieldExtraction, findFieldInsertion, findExtension, findBitMask,
    findPermutation;
// ComparisonForms.cpp
FormFinder findPredicateComparison, findComparison;
// SelectionForms.cpp
FormFinder findMove, findSelection, findSignSelection;
// FloatForms.cpp
FormFinder findFloatSum, findFusedProduct;
// QuotientForms.cpp
FormFinder findQuotient, findReciprocal, findSquareRoot, findReciprocalRoot64;
// FloatBitForms.cpp
FormFinder findFloatSign, findFloatExtremum, findSignCopy, findFloatTest;
// ApproximateForms.cpp
FormFinder findApproximation;
// HalfForms.cpp
FormFinder findHalfSum, findHalfFusedProduct, findHalfSign, findHalfExtremum,
    findHalfApproximation;
// ConversionForms.cpp
FormFinder findConversion;

// The finders of findConversion; each gets the types and the rounding that it
// has read.
using ConversionFinder = llvm::Expected<ScalarForm>(FormName &name, Type target,
                                                    Type source);
ConversionFinder findIntegerConversion, findIntegerToFloat, findFloatToInteger,
    findFloatConversion;
// PackedConversions.cpp
llvm::Expected<ScalarForm> findPackedConversion(FormName &name, Type target);
FormFinder findIntegerPacking;

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_SCALAR_SCALARFAMILIES_H
