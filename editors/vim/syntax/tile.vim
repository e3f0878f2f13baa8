" Colours of Tessera sources. The suite compares the lists with those of the front end.
if exists("b:current_syntax")
  finish
endif

syntax keyword tileKeyword as assert else for if in return
syntax keyword tileDeclaration fn kernel let var
syntax keyword tileConstant false inf nan true
syntax keyword tileType bf16 bool f16 f32 f64 f8e4m3 f8e5m2 float i16 i32 i64 i8 int tf32 type u16 u32 u64 u8

" The names of functions and clauses are not reserved: a function precedes a parenthesis, and so does a clause.
syntax match tileFunction "\<\%(abs\|acos\|all\|any\|argmax\|argmin\|argsort\|asin\|asm\|atan\|atan2\|atomic_add\|atomic_and\|atomic_cas\|atomic_exchange\|atomic_max\|atomic_min\|atomic_or\|atomic_xor\|barrier\|bits\|broadcast\|cbrt\|ceil\|clz\|concat\|copysign\|cos\|cosh\|cummax\|cummin\|cumprod\|cumsum\|erf\|exp\|exp2\|expm1\|flip\|floor\|fma\|fmod\|full\|iota\|isfinite\|isinf\|isnan\|join\|load\|log\|log1p\|log2\|max\|min\|mulhi\|ones\|permute\|popcount\|pow\|print\|prod\|range\|reduce\|reshape\|round\|rsqrt\|scan\|sigmoid\|sign\|sin\|sinh\|sort\|split\|sqrt\|sum\|tan\|tanh\|tile\|tiles\|top\|trunc\|where\|zeros\)\>\ze\s*("
syntax match tileKeyword "\<of\>"
syntax match tileKeyword "\%(^\|[{};]\)\s*\zsbreak\>\ze\s*;"
syntax match tileKeyword "\%(^\|[{};]\)\s*\zs\%(check\|while\)\>\ze\s\+[^=[:space:]]"
syntax match tileKeyword ")\s*\zswhile\>"
syntax match tileDeclaration "^\s*\zsuse\>\ze\s*\""
syntax match tileClause "\<\%(grid\|schedule\|numerics\)\>\ze\s*("
syntax match tileModifier "\<\%(inout\|out\)\>\ze\s\+\h"
syntax match tileMember "\.\@1<=\<\%(T\|end\|index\|limit\|start\|valid\)\>"
syntax match tileName "\%(\<\%(fn\|kernel\)\s\+\)\@32<=\h\w*"

syntax match tileNumber "\<0[xX]\x\+\>"
syntax match tileNumber "\<\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\>"
syntax region tileString start=+"+ skip=+\\\\\|\\"+ end=+"+ oneline
syntax match tileComment "//.*$" contains=tileTodo,@Spell
syntax match tileDocumentation "///.*$" contains=tileTodo,@Spell
syntax keyword tileTodo TODO FIXME contained

highlight default link tileKeyword Statement
highlight default link tileDeclaration Keyword
highlight default link tileConstant Constant
highlight default link tileType Type
highlight default link tileFunction Function
highlight default link tileClause Keyword
highlight default link tileModifier StorageClass
highlight default link tileMember Identifier
highlight default link tileName Function
highlight default link tileNumber Number
highlight default link tileString String
highlight default link tileComment Comment
highlight default link tileDocumentation SpecialComment
highlight default link tileTodo Todo

let b:current_syntax = "tile"
