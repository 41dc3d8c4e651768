import { Environment, Interpreter } from '@huggingface/jinja';
import { Arguments } from './arguments.ts';
import { compare } from './compare.ts';
import { applyFilter, hasFilter } from './filters.ts';
import { isNumber } from './format-spec.ts';
import { itemsOf, kind, truthy } from './items.ts';
import { mappingMethod } from './mapping-methods.ts';
import { percentFormat } from './percent-format.ts';
import { pythonText } from './python-text.ts';
import { contains, hasTest, test, testOf } from './tests.ts';
import { textMethod } from './text-methods.ts';
import {
  boolean,
  callable,
  equal,
  integer,
  isList,
  isMapping,
  isText,
  isUndefined,
  list,
  text,
  tuple,
  type Value,
} from './values.ts';

/** The scope of a template's variables. */
export type Scope = Environment;

// biome-ignore lint/suspicious/noExplicitAny: the library keeps the types of its syntax tree to itself
export type Node = { type: string } & Record<string, any>;

/** The internals of the library's interpreter. Its methods are private only in TypeScript. */
type Inner = {
  new (environment: Environment): Inner;
  run(program: unknown): Value;
  evaluate(node: Node | undefined, scope: Scope): Value;
  evaluateMemberExpression(node: Node, scope: Scope): Value;
  evaluateBinaryExpression(node: Node, scope: Scope): Value;
  evaluateFor(node: Node, scope: Scope): Value;
  evaluateArguments(args: Node[], scope: Scope): [Value[], Map<string, Value>];
  applyFilter(operand: Value, filter: Node, scope: Scope): Value;
  evaluateTestExpression(node: Node, scope: Scope): Value;
};

/**
 * Corrects the library's interpreter where it differs from Python's Jinja: how values are printed and compared, methods
 * of strings, JSON, attributes of undefined values, scopes of loops, and the state after `break`.
 */
export class PythonInterpreter extends (Interpreter as unknown as Inner) {
  evaluateBlock(statements: Node[], scope: Scope): Value {
    let result = '';
    for (const statement of statements) {
      try {
        const value = this.evaluate(statement, scope);
        if (!statementTypes.has(statement.type)) result += this.shown(value, statement);
        else if (isText(value)) result += value.value;
      } catch (error) {
        if (isLoopControl(error)) error.written = result + (error.written ?? '');
        throw error;
      }
    }
    return text(result);
  }

  /** What a node that prints a value writes. */
  shown(value: Value, _node: Node): string {
    return pythonText(value);
  }

  /** The program's top-level block has a private method with the same rules. */
  evalProgram(program: Node, scope: Scope): Value {
    return this.evaluateBlock(program.body, scope);
  }

  override evaluateFor(node: Node, scope: Scope): Value {
    const filtered = node.iterable.type === 'SelectExpression';
    const all = itemsOf(this.evaluate(filtered ? node.iterable.lhs : node.iterable, scope));
    const items = filtered ? all.filter((item) => this.#passes(node, item, scope)) : all;
    if (items.length === 0) return this.evaluateBlock(node.defaultBlock, inside(scope));
    let result = '';
    const changes = { last: null };
    for (const [index, item] of items.entries()) {
      const turn = inside(scope);
      setVariable(turn, 'loop', loopVariable(items, index, changes));
      bind(node.loopvar, item, turn);
      try {
        result += this.evaluateBlock(node.body, turn).value;
      } catch (error) {
        if (!isLoopControl(error)) throw error;
        result += error.written ?? '';
        if (error.constructor.name === 'BreakControl') break;
      }
    }
    return text(result);
  }

  override evaluateMemberExpression(node: Node, scope: Scope): Value {
    const object = this.evaluate(node.object, scope);
    if (isUndefined(object)) throw new Error(`${nameOf(node.object)} is undefined`);
    if (isText(object) && !node.computed) {
      const method = textMethod(object.value, node.property.value);
      if (method) return method;
    }
    if (isMapping(object) && !node.computed) {
      const method = mappingMethod(object.value, node.property.value);
      if (method) return method;
    }
    if (isText(object) && node.computed && node.property.type !== 'SliceExpression') {
      const index = this.evaluate(node.property, scope);
      if (index.type === 'IntegerValue') {
        const character = Array.from(object.value).at(index.value as number);
        return character === undefined ? this.evaluate(undefined, scope) : text(character);
      }
    }
    return super.evaluateMemberExpression({ ...node, object: constant(object) }, scope);
  }

  override evaluateBinaryExpression(node: Node, scope: Scope): Value {
    const operator = node.operator.value as string;
    if (operator === 'and' || operator === 'or') return super.evaluateBinaryExpression(node, scope);
    const left = this.evaluate(node.left, scope);
    const right = this.evaluate(node.right, scope);
    if (operator === '==') return boolean(equal(left, right));
    if (operator === '!=') return boolean(!equal(left, right));
    if (operator === '~') return text(pythonText(left) + pythonText(right));
    if ((operator === 'in' || operator === 'not in') && isContainer(right)) {
      return boolean(contains(right, left) === (operator === 'in'));
    }
    if (operator === '+' && isText(left) !== isText(right)) {
      throw new Error(
        `A string can only be joined to a string with +, not to ${isText(left) ? kind(right) : kind(left)}.`,
      );
    }
    if (operator === '+' && isList(left) && isList(right)) {
      return (left.type === 'TupleValue' ? tuple : list)([...left.value, ...right.value]);
    }
    if (operator === '%' && isText(left)) return text(percentFormat(left.value, right));
    if (operator === '*' && left.type === 'IntegerValue')
      return this.#product(right, left) ?? this.#library(node, left, right, scope);
    if (operator === '*') return this.#product(left, right) ?? this.#library(node, left, right, scope);
    if (['/', '//', '%'].includes(operator) && isNumber(right) && Number(right.value) === 0) {
      throw new Error('division by zero');
    }
    if (operator === '%' && left.type === 'IntegerValue' && right.type === 'IntegerValue') {
      return integer(floorModulo(left.value as number, right.value as number));
    }
    const ordered = comparisons[operator];
    if (ordered && !isNumber(left)) return boolean(ordered(compare(left, right)));
    return this.#library(node, left, right, scope);
  }

  override evaluate(node: Node | undefined, scope: Scope): Value {
    if (node?.type === 'Constant') return node.value;
    if (node?.type === 'Program') return this.evalProgram(node, scope);
    return super.evaluate(node, scope);
  }

  override applyFilter(operand: Value, filter: Node, scope: Scope): Value {
    const isCall = filter.type === 'CallExpression';
    const name: string = isCall ? filter.callee.value : filter.value;
    const args = isCall ? new Arguments(...this.evaluateArguments(filter.args, scope)) : new Arguments([]);
    const tested = testOf(name);
    if (tested === null) return applyFilter(name, operand, args);
    return boolean(test(tested.name, operand, args) !== tested.isNegated);
  }

  override evaluateTestExpression(node: Node, scope: Scope): Value {
    const name: string = node.test.value;
    const operand = this.evaluate(node.operand, scope);
    const isKnown = { filter: hasFilter, test: hasTest }[name];
    const result = isKnown ? isKnown(pythonText(operand)) : test(name, operand, new Arguments([]));
    return boolean(result !== node.negate);
  }

  /** A string or a list repeated as often as an integer says; null for other operands. */
  #product(value: Value, times: Value): Value | null {
    if (times.type !== 'IntegerValue' || !(isText(value) || isList(value))) return null;
    const count = Math.max(0, times.value as number);
    if (count * (value.value as string | Value[]).length > repeatedMax) throw new Error('A repeated value is too long');
    if (isText(value)) return text(value.value.repeat(count));
    return (value.type === 'TupleValue' ? tuple : list)(Array.from({ length: count }, () => value.value).flat());
  }

  #library(node: Node, left: Value, right: Value, scope: Scope): Value {
    return super.evaluateBinaryExpression({ ...node, left: constant(left), right: constant(right) }, scope);
  }

  #passes(node: Node, item: Value, scope: Scope): boolean {
    const turn = inside(scope);
    bind(node.loopvar, item, turn);
    return truthy(this.evaluate(node.iterable.test, turn));
  }
}

const repeatedMax = 1 << 22;

function isContainer(value: Value): boolean {
  return isList(value) || isMapping(value) || isText(value);
}

/** Statements write what they rendered, a set or a macro nothing; all other nodes print a value. */
const statementTypes = new Set([
  'Set',
  'If',
  'For',
  'Macro',
  'Comment',
  'FilterStatement',
  'CallStatement',
  'Break',
  'Continue',
]);

const comparisons: Record<string, ((order: number) => boolean) | undefined> = {
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
};

type LoopControl = Error & { written?: string };

function isLoopControl(error: unknown): error is LoopControl {
  return error instanceof Error && /^(Break|Continue)Control$/.test(error.constructor.name);
}

function inside(scope: Scope): Scope {
  return new Environment(scope) as Scope;
}

function setVariable(scope: Scope, name: string, value: Value): void {
  scope.setVariable(name, value as never);
}

function constant(value: Value): Node {
  return { type: 'Constant', value };
}

function bind(variable: Node, item: Value, scope: Scope): void {
  if (variable.type === 'Identifier') {
    setVariable(scope, variable.value, item);
    return;
  }
  const parts = itemsOf(item);
  const names = variable.value as Node[];
  if (parts.length !== names.length)
    throw new Error(`A loop expected ${names.length} values at once and got ${parts.length}.`);
  for (const [index, name] of names.entries()) bind(name, parts[index]!, scope);
}

/** `changes` has the last argument of `loop.changed`. */
function loopVariable(items: Value[], index: number, changes: { last: Value | null }): Value {
  const scope = new Environment();
  const counters = {
    index: index + 1,
    index0: index,
    revindex: items.length - index,
    revindex0: items.length - index - 1,
    first: index === 0,
    last: index === items.length - 1,
    length: items.length,
    depth: 1,
    depth0: 0,
  };
  const loop = scope.set('loop', counters) as unknown as { value: Map<string, Value> };
  if (items[index - 1]) loop.value.set('previtem', items[index - 1]!);
  if (items[index + 1]) loop.value.set('nextitem', items[index + 1]!);
  loop.value.set(
    'cycle',
    callable((values) => {
      if (values.length === 0) throw new Error('no items for cycling given');
      return values[index % values.length]!;
    }),
  );
  loop.value.set(
    'changed',
    callable((values) => {
      const isSame = changes.last !== null && equal(changes.last, list(values));
      changes.last = list(values);
      return boolean(!isSame);
    }),
  );
  return loop as unknown as Value;
}

/** As in Python, the result has the sign of the divisor. */
function floorModulo(a: number, b: number): number {
  return a - b * Math.floor(a / b);
}

export function nameOf(node: Node): string {
  if (node.type === 'Identifier') return `'${node.value}'`;
  if (node.type === 'MemberExpression') return `'${node.property.value ?? 'member'}'`;
  return 'A value';
}
