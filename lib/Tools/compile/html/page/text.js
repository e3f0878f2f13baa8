// The colours of texts: a line becomes tokens.

const TILE_WORDS = "kernel|fn|let|var|for|in|if|else|grid|schedule|out|inout|where|as|type|return|and|or|not|true|false";
const TOKENS = {
  source: new RegExp(
    `(?<c>//.*)|(?<s>"[^"]*")|(?<k>\\b(?:${TILE_WORDS})\\b)|` +
    "(?<t>\\b(?:f64|f32|f16|bf16|f8\\w*|i8|i16|i32|i64|int|bool|index)\\b)|(?<n>\\b\\d[\\w.]*)|(?<o>\\b\\w+(?=\\())", "g"),
  ir: new RegExp(
    '(?<c>//.*)|(?<l>#layout\\d*\\b|#sm\\.layout<"[^"]*">)|(?<s>"[^"]*")|(?<v>%[\\w#]+)|(?<t>![\\w.]+|\\b(?:tensor|vector|memref)\\b)|' +
    "(?<o>(?<![\\w.<])[a-z]\\w*\\.[a-z][\\w.]*)|(?<k>[#@][\\w.]+)|(?<n>(?<![\\w%])-?\\d[\\w.+]*)", "g"),
  ptx: new RegExp(
    "(?<c>//.*)|(?<s>\"[^\"]*\")|(?<v>%[\\w.]+)|(?<k>^\\s*\\.[\\w]+|\\$\\w+|^@\\S+)|" +
    "(?<o>^\\s*(?:@!?%p\\d+\\s+)?[a-z][\\w.:]*)|(?<n>\\b(?:0[xfd])?\\d[\\dA-Fa-f]*\\b)", "g"),
};

/** Splits a line into [class or "", text, first column]. */
function tokenize(line, level) {
  const pattern = TOKENS[level] || TOKENS.ir;
  const tokens = [];
  let end = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > end) tokens.push(["", line.slice(end, match.index), end]);
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    tokens.push([kind, match[0], match.index]);
    end = match.index + match[0].length;
  }
  if (end < line.length) tokens.push(["", line.slice(end), end]);
  return tokens;
}

/** What the source is made of, finer than its colours: names, numbers, operators. */
function splitWords(tokens) {
  return tokens.flatMap(([kind, text, first]) =>
    kind === "c" || kind === "s"
      ? [[kind, text, first]]
      : [...text.matchAll(/\w+|\s+|[^\w\s]+?(?=\w|\s|$)|[^\w\s]/gu)].map((part) => [kind, part[0], first + part.index]));
}
