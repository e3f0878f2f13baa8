llvm.func @empty() attributes {nvvm.kernel} {
  llvm.return
}
