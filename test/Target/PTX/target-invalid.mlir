// RUN: tile-ptx %s -verify-diagnostics --emit=ptx -o /dev/null

// A lowered module names its target as a string.

// expected-error @+1 {{expected 'sm.target_name' to be the name of a target, got "sm_80"; there is sm_90a}}
module attributes {sm.target_name = "sm_80"} {
  llvm.func @f() attributes {nvvm.kernel} {
    llvm.return
  }
}
