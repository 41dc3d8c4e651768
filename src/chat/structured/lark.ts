import { ebnfString } from './ebnf.ts';

/**
 * A grammar in Lark's notation as EBNF. Rules and terminals, alternatives, groups, options, quantifiers, strings and
 * simple patterns are translated; directives, priorities and templates are rejected by name.
 */
export function ebnfOfLark(text: string): string {
  const definitions = definitionsOf(text);
  if (definitions.length === 0) throw new Error('it has no rules');
  const names = new Set(definitions.map(({ name }) => name));
  const start = names.has('start') ? 'start' : definitions[0]!.name;
  const rules = definitions.map(({ name, body }) => `${ruleName(name)} ::= ${translate(body, names)}`);
  return [`root ::= ${ruleName(start)}`, ...rules].join('\n');
}

type Definition = { name: string; body: string };

function definitionsOf(text: string): Definition[] {
  const definitions: Definition[] = [];
  for (const line of text.split('\n')) {
    const clean = withoutComment(line).trim();
    if (clean === '') continue;
    if (clean.startsWith('%')) throw new Error(`the directive ${clean.split(/\s/)[0]} is not supported`);
    const opening = /^[?!]?([A-Za-z_]\w*)(?:\.(-?\d+))?\s*:(?!:)\s*(.*)$/.exec(clean);
    if (opening) definitions.push({ name: opening[1]!, body: opening[3]! });
    else if (definitions.length > 0) definitions.at(-1)!.body += ` ${clean}`;
    else throw new Error(`${JSON.stringify(clean)} is not a rule`);
  }
  return definitions;
}

/** Outside strings and patterns, `//` starts a comment. */
function withoutComment(line: string): string {
  // An unclosed string or pattern extends to the end, so that the line is read once; it is rejected later.
  const pieces = line.match(/"(?:\\.?|[^"\\])*"?|\/(?!\/)(?:\\.?|[^/\\])+\/?|\/\/.*|[\s\S]/g) ?? [];
  return pieces.filter((piece) => !piece.startsWith('//')).join('');
}

const tokenPattern =
  /\s+|("(?:\\.|[^"\\])*")(i?)|\/((?:\\.|[^/\\])+)\/([imslux]*)|([A-Za-z_]\w*)|->\s*\w+|~\s*(\d+)(?:\s*\.\.\s*(\d+))?|([|()[\]*+?])/y;

function translate(body: string, names: ReadonlySet<string>): string {
  const written: string[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < body.length) {
    const at = tokenPattern.lastIndex;
    const token = tokenPattern.exec(body);
    if (!token) throw new Error(`${JSON.stringify(body.slice(at, at + 20))} is not understood`);
    const [, string, ignoresCase, pattern, flags, name, least, most, symbol] = token;
    if (string !== undefined) written.push(ignoresCase ? anyCase(string) : ebnfString(unquote(string)));
    else if (pattern !== undefined) written.push(patternAsEbnf(pattern, flags!));
    else if (name !== undefined) written.push(reference(name, names));
    else if (least !== undefined) written.push(most === undefined ? `{${least}}` : `{${least},${most}}`);
    else if (symbol !== undefined) written.push(symbol === '[' ? '(' : symbol === ']' ? ')?' : symbol);
  }
  return written.join(' ').replace(/ (?=[*+?{])/g, '');
}

function reference(name: string, names: ReadonlySet<string>): string {
  if (!names.has(name)) throw new Error(`the rule ${name} is not defined`);
  return ruleName(name);
}

/** `root` has a special meaning in EBNF. */
function ruleName(name: string): string {
  return name === 'root' ? 'lark_root' : name;
}

/** Patterns of literals, classes, groups and quantifiers, which EBNF can express too. */
function patternAsEbnf(pattern: string, flags: string): string {
  if (flags !== '') throw new Error(`the pattern flags ${flags} are not supported`);
  const pieces = pattern.match(/\[(?:\\.|[^\]\\])*\]|\\.|\(\?:|[()|*+?]|\{\d+(?:,\d*)?\}|\.|[\s\S]/gu) ?? [];
  return `(${pieces
    .map(patternPiece)
    .join(' ')
    .replace(/ (?=[*+?{])/g, '')})`;
}

const escapes: Record<string, string | undefined> = {
  '\\d': '[0-9]',
  '\\w': '[a-zA-Z0-9_]',
  '\\s': '[ \\t\\n\\r]',
  '\\n': '"\\n"',
  '\\t': '"\\t"',
  '\\r': '"\\r"',
};

function patternPiece(piece: string): string {
  if (piece === '(?:') return '(';
  if (/^([()|*+?]|\{\d.*\}|\[.*\])$/s.test(piece)) return piece;
  if (piece === '.') return '[^\\n]';
  if (piece[0] !== '\\') return ebnfString(piece);
  const known = escapes[piece];
  if (known) return known;
  if (/[A-Za-z0-9]/.test(piece[1]!)) throw new Error(`${piece} in a pattern is not supported`);
  return ebnfString(piece[1]!);
}

function unquote(string: string): string {
  try {
    return JSON.parse(string) as string;
  } catch {
    throw new Error(`the string ${string} has an escape that is not supported`);
  }
}

function anyCase(string: string): string {
  const classes = Array.from(unquote(string), (character) => {
    const forms = [...new Set([character.toLowerCase(), character.toUpperCase()])];
    return forms.length === 1 ? ebnfString(character) : `(${forms.map(ebnfString).join(' | ')})`;
  });
  return `(${classes.join(' ')})`;
}
