; Colours of Tessera sources. Later patterns win.

(identifier) @variable
(comment) @comment
(string) @string
(number) @number
(boolean) @boolean

["use" "kernel" "fn" "let" "var" "assert" "check"] @keyword
["for" "in" "if" "else" "return" "while"] @keyword.control
["grid" "schedule" "numerics" "out" "inout" "as" "of"] @keyword

["=" "+=" "-=" "*=" "/=" "+" "-" "*" "/" "%" "@" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" "&" "|" "^" "~" "<<" ">>"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter

(kernel name: (identifier) @function)
(fn name: (identifier) @function)
(used_names (identifier) @function)
(break_statement (identifier) @keyword.control)
(call_expression function: (identifier) @function.call)
(parameter name: (identifier) @variable.parameter)
(compile_time_parameter name: (identifier) @constant)
(compile_time_parameter type: (identifier) @type)
(member_expression member: (identifier) @property)
(entry name: (identifier) @property)
(argument name: (identifier) @property)
((identifier) @type.builtin
  (#match? @type.builtin "^(f64|f32|f16|bf16|f8e4m3|f8e5m2|i64|i32|i16|i8|u64|u32|u16|u8|bool|int|float|tf32|type)$"))
