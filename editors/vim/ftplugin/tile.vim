" Settings for editing Tessera sources; `gq` formats with tile-format.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=:///,://
setlocal expandtab shiftwidth=2 softtabstop=2 textwidth=110
setlocal formatprg=tile-format formatoptions-=t
setlocal cindent cinoptions=(0,W4,j1,J1

let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< softtabstop<"
      \ . " textwidth< formatprg< formatoptions< cindent< cinoptions<"
