/**
 * Tree-sitter grammar of the Tessera language, after lib/Frontend/Parser.
 *
 * One difference: `out` and `inout` cannot be names of parameters here.
 */

// Binding of operators, from loose to tight, as in ParseExpr.cpp.
const PREC = {
  or: 1, and: 2, compare: 3, bit_or: 4, bit_xor: 5, bit_and: 6, shift: 7, sum: 8, product: 9, matmul: 10, cast: 11,
  unary: 12, postfix: 13,
};

/** A list in which a comma may be last. */
function list(rule) {
  return optional(seq(rule, repeat(seq(",", rule)), optional(",")));
}

module.exports = grammar({
  name: "tile",

  extras: ($) => [/\s/, $.comment],
  word: ($) => $.identifier,

  rules: {
    source_file: ($) => seq(repeat($.use), repeat(choice($.kernel, $.fn))),

    // Declarations.
    use: ($) => seq("use", field("path", $.string), $.used_names, ";"),
    used_names: ($) => seq("(", $.identifier, repeat(seq(",", $.identifier)), optional(","), ")"),
    kernel: ($) =>
      seq("kernel", field("name", $.identifier), optional($.compile_time_parameters), $.parameters,
        repeat(choice($.grid, $.schedule, $.numerics)), field("body", $.block)),
    compile_time_parameters: ($) => seq("<", list($.compile_time_parameter), ">"),
    // `>` ends the list, so a default stops short of comparisons.
    compile_time_parameter: ($) =>
      seq(field("name", $.identifier), ":", field("type", $.identifier),
        optional(seq("in", field("candidates", $.values))), optional(seq("=", field("value", $._arithmetic)))),
    values: ($) => seq("{", $._expression, repeat(seq(",", $._expression)), optional(","), "}"),
    parameters: ($) => seq("(", list($.parameter), ")"),
    parameter: ($) =>
      seq(optional(choice("in", "out", "inout")), field("name", $.identifier), ":", field("type", $._postfix),
        optional(seq("if", field("condition", $._expression)))),
    grid: ($) => seq("grid", "(", list($.axis), ")"),
    axis: ($) => seq(field("name", $.identifier), "in", field("domain", $._expression)),
    schedule: ($) => seq("schedule", "(", list($.entry), ")"),
    numerics: ($) => seq("numerics", "(", list($.entry), ")"),
    entry: ($) => seq(field("name", $.identifier), optional(seq("=", field("value", choice($._expression, $.tuple))))),
    tuple: ($) =>
      choice(seq("(", ")"), seq("(", $._expression, ",", list($._expression), ")")),
    fn: ($) =>
      seq("fn", field("name", $.identifier), alias($.fn_parameters, $.parameters), field("body", $.block)),
    fn_parameters: ($) => seq("(", list(alias($.fn_parameter, $.parameter)), ")"),
    fn_parameter: ($) => seq(field("name", $.identifier), optional(seq(":", field("type", $._postfix)))),

    // Statements.
    block: ($) => seq("{", repeat($._statement), "}"),
    _statement: ($) =>
      choice($.let_statement, $.var_statement, $.assignment, $.for_statement, $.if_statement, $.assert_statement,
        $.check_statement, $.while_statement, $.return_statement, $.break_statement, $.call_statement),
    let_statement: ($) => seq("let", $._names, "=", field("value", $._expression), ";"),
    var_statement: ($) => seq("var", $._names, "=", field("value", $._expression), ";"),
    _names: ($) => seq(field("name", $.identifier), repeat(seq(",", field("name", $.identifier)))),
    assignment: ($) =>
      seq(field("target", choice($.identifier, alias($.target, $.index_expression))),
        field("operator", choice("=", "+=", "-=", "*=", "/=")), field("value", $._expression), ";"),
    target: ($) => seq(field("base", $.identifier), $._indices),
    for_statement: ($) =>
      seq("for", field("name", $.identifier), "in", field("domain", $._expression),
        optional(seq("while", field("condition", $._expression))), field("body", $.block)),
    while_statement: ($) => seq("while", field("condition", $._expression), field("body", $.block)),
    if_statement: ($) =>
      seq("if", field("condition", $._expression), field("then", $.block),
        optional(seq("else", field("else", choice($.if_statement, $.block))))),
    assert_statement: ($) =>
      seq("assert", field("condition", $._expression), optional(seq(",", field("message", $.string))), ";"),
    check_statement: ($) =>
      seq("check", field("condition", $._expression), ",", field("message", $.string), ";"),
    return_statement: ($) =>
      seq("return", optional(seq($._expression, repeat(seq(",", $._expression)))), ";"),
    // `break;`, whose word is a name elsewhere.
    break_statement: ($) => seq($.identifier, ";"),
    call_statement: ($) => seq($.call_expression, ";"),

    // Expressions, from loose to tight binding.
    _expression: ($) => choice($.logical_expression, $._comparison),
    logical_expression: ($) =>
      choice(
        prec.left(PREC.or, seq($._expression, field("operator", "||"), $._expression)),
        prec.left(PREC.and, seq($._expression, field("operator", "&&"), $._expression))),
    _comparison: ($) => choice($.comparison, $._arithmetic),
    comparison: ($) =>
      prec(PREC.compare,
        seq($._arithmetic, field("operator", choice("==", "!=", "<", "<=", ">", ">=")), $._arithmetic)),
    _arithmetic: ($) => choice($.binary_expression, $.cast_expression, $.unary_expression, $._postfix),
    binary_expression: ($) =>
      choice(
        prec.left(PREC.bit_or, seq($._arithmetic, field("operator", "|"), $._arithmetic)),
        prec.left(PREC.bit_xor, seq($._arithmetic, field("operator", "^"), $._arithmetic)),
        prec.left(PREC.bit_and, seq($._arithmetic, field("operator", "&"), $._arithmetic)),
        prec.left(PREC.shift, seq($._arithmetic, field("operator", choice("<<", ">>")), $._arithmetic)),
        prec.left(PREC.sum, seq($._arithmetic, field("operator", choice("+", "-")), $._arithmetic)),
        prec.left(PREC.product, seq($._arithmetic, field("operator", choice("*", "/", "%")), $._arithmetic)),
        prec.left(PREC.matmul, seq($._arithmetic, field("operator", "@"), $._arithmetic))),
    cast_expression: ($) => prec.left(PREC.cast, seq($._arithmetic, "as", field("type", $._postfix))),
    unary_expression: ($) => prec(PREC.unary, seq(field("operator", choice("-", "!", "~")), $._arithmetic)),
    _postfix: ($) => choice($.index_expression, $.member_expression, $._primary),
    index_expression: ($) => prec(PREC.postfix, seq(field("base", $._postfix), $._indices)),
    _indices: ($) => seq("[", list(choice($._expression, $.paired, $.part, $.whole, $.new_dimension, $.rest)), "]"),
    paired: ($) => seq("(", $._expression, ",", list($._expression), ")"),
    whole: ($) => ":",
    part: ($) =>
      choice(seq(field("low", $._expression), ":", optional(field("high", $._expression))),
        seq(":", field("high", $._expression))),
    new_dimension: ($) => "_",
    rest: ($) => "..",
    member_expression: ($) => prec(PREC.postfix, seq(field("base", $._postfix), ".", field("member", $.identifier))),
    _primary: ($) =>
      choice($.number, $.boolean, $.identifier, $.call_expression, $.parenthesized_expression, $.if_expression),
    call_expression: ($) => seq(field("function", $.identifier), $.arguments),
    arguments: ($) => seq("(", list($.argument), ")"),
    argument: ($) =>
      seq(optional(seq(field("name", $.identifier), "=")), field("value", choice($._expression, $.string)),
        optional(seq("of", field("whole", $._expression)))),
    parenthesized_expression: ($) => seq("(", $._expression, ")"),
    if_expression: ($) =>
      seq("if", field("condition", $._expression), field("then", $.value_block), "else",
        field("else", choice($.if_expression, $.value_block))),
    value_block: ($) => seq("{", repeat($.let_statement), field("value", $._expression), "}"),

    // Tokens.
    number: ($) => choice(/0[xX][0-9a-fA-F]+/, /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/, "inf", "nan"),
    boolean: ($) => choice("true", "false"),
    string: ($) => /"([^"\\\n]|\\.)*"/,
    identifier: ($) => /[A-Za-z_][A-Za-z0-9_]*/,
    comment: ($) => /\/\/[^\n]*/,
  },
});
