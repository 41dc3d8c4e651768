import { GradeError } from './grade-error.ts';

/** An expression over the scores of graders: `calculate_output` of a multi grader. */
export type Formula = {
  /** The names of scores that it uses. */
  names: Set<string>;
  /** @throws GradeError if the result is not a finite number */
  evaluate(scores: Record<string, number>): number;
};

type Node = (scores: Record<string, number>) => number;

/** Functions with the numbers of arguments that they accept. */
const functions: Record<string, { of: (...values: number[]) => number; least: number; most: number }> = {
  min: { of: Math.min, least: 1, most: 100 },
  max: { of: Math.max, least: 1, most: 100 },
  abs: { of: Math.abs, least: 1, most: 1 },
  floor: { of: Math.floor, least: 1, most: 1 },
  ceil: { of: Math.ceil, least: 1, most: 1 },
  exp: { of: Math.exp, least: 1, most: 1 },
  sqrt: { of: Math.sqrt, least: 1, most: 1 },
  log: { of: Math.log, least: 1, most: 1 },
};

/** How deep parentheses, signs and powers may nest. */
const depthMax = 100;

/**
 * Parses numbers, names, `+ - * / ^`, parentheses and the functions above. As in mathematics, `^` binds more strongly
 * than a sign, and `a^b^c` is `a^(b^c)`.
 * @throws GradeError
 */
export function parseFormula(text: string): Formula {
  const tokens = tokensOf(text);
  const names = new Set<string>();
  let at = 0;
  let depth = 0;
  const root = sum();
  if (at < tokens.length) throw unexpected();
  return {
    names,
    evaluate(scores) {
      const value = root(scores);
      if (Number.isFinite(value)) return value;
      throw new GradeError('other_error', `calculate_output has no finite result: it is ${value}.`);
    },
  };

  function sum(): Node {
    let left = product();
    for (;;) {
      const operator = take('+', '-');
      if (operator === null) return left;
      const [first, second] = [left, product()];
      left = operator === '+' ? (scores) => first(scores) + second(scores) : (scores) => first(scores) - second(scores);
    }
  }

  function product(): Node {
    let left = signed();
    for (;;) {
      const operator = take('*', '/');
      if (operator === null) return left;
      const [first, second] = [left, signed()];
      left = operator === '*' ? (scores) => first(scores) * second(scores) : (scores) => first(scores) / second(scores);
    }
  }

  function signed(): Node {
    const operator = take('+', '-');
    if (operator === null) return power();
    const operand = nested(signed);
    return operator === '+' ? operand : (scores) => -operand(scores);
  }

  function power(): Node {
    const base = atom();
    if (take('^') === null) return base;
    const exponent = nested(signed);
    return (scores) => base(scores) ** exponent(scores);
  }

  function atom(): Node {
    const token = tokens[at];
    if (take('(') !== null) return closed(nested(sum));
    if (token === undefined || !/^[\p{L}\d_.]/u.test(token)) throw unexpected();
    at++;
    if (/^[\d.]/.test(token)) return () => Number(token);
    if (take('(') !== null) return call(token);
    names.add(token);
    return (scores) => scores[token]!;
  }

  function call(name: string): Node {
    const known = Object.hasOwn(functions, name) ? functions[name]! : null;
    if (known === null) {
      throw fault(`there is no function ${name}. Known functions: ${Object.keys(functions).join(', ')}`);
    }
    const args = [nested(sum)];
    while (take(',') !== null) args.push(nested(sum));
    if (args.length < known.least || args.length > known.most) throw fault(`${name} takes one value`);
    return closed((scores) => known.of(...args.map((argument) => argument(scores))));
  }

  function closed(node: Node): Node {
    if (take(')') === null) throw unexpected();
    return node;
  }

  function nested(parse: () => Node): Node {
    if (++depth > depthMax) throw fault(`it nests more than ${depthMax} levels`);
    const node = parse();
    depth--;
    return node;
  }

  function take(...wanted: string[]): string | null {
    return wanted.includes(tokens[at] ?? '') ? tokens[at++]! : null;
  }

  function unexpected(): GradeError {
    return fault(at < tokens.length ? `unexpected "${tokens[at]!.slice(0, 50)}"` : 'it ends too early');
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const pattern = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|([-+*/^(),]))/iuy;
  const trimmed = text.trimEnd();
  while (pattern.lastIndex < trimmed.length) {
    const start = pattern.lastIndex;
    const [, ...groups] = pattern.exec(trimmed) ?? [];
    const token = groups.find((group) => group !== undefined);
    if (token === undefined) throw fault(`unexpected "${trimmed.slice(start).trimStart().slice(0, 1)}"`);
    tokens.push(token);
  }
  return tokens;
}

function fault(reason: string): GradeError {
  return new GradeError('formula_parse_error', `calculate_output is not a formula: ${reason}.`);
}
