import { Environment, Interpreter } from '@huggingface/jinja';
import {
  defaulted,
  dumpOptions,
  itemsOf,
  joined,
  kind,
  type Scope,
  testAttribute,
  testValue,
  truthy,
} from './filters.ts';
import { pythonJson, pythonText } from './python-text.ts';
import { stripEnd, stripStart, textMethod } from './text-methods.ts';
import { boolean, equal, integer, isList, isText, isUndefined, list, text, type Value } from './values.ts';

// biome-ignore lint/suspicious/noExplicitAny: the library keeps the types of its syntax tree to itself
type Node = { type: string } & Record<string, any>;

/** The inside of the library's interpreter. Its methods are private in TypeScript only. */
type Inner = {
  new (environment: Environment): Inner;
  run(program: unknown): Value;
  evaluate(node: Node | undefined, scope: Scope): Value;
  evaluateMemberExpression(node: Node, scope: Scope): Value;
  evaluateBinaryExpression(node: Node, scope: Scope): Value;
  evaluateFor(node: Node, scope: Scope): Value;
  evaluateArguments(args: Node[], scope: Scope): [Value[], Map<string, Value>];
  applyFilter(operand: Value, filter: Node, scope: Scope): Value;
};

/**
 * The library's interpreter where it differs from Python's Jinja: how values are printed and compared, methods of
 * strings, JSON, attributes of what is not defined, scopes of loops, and what `break` leaves behind.
 */
export class PythonInterpreter extends (Interpreter as unknown as Inner) {
  evaluateBlock(statements: Node[], scope: Scope): Value {
    let result = '';
    for (const statement of statements) {
      try {
        const value = this.evaluate(statement, scope);
        if (!statementTypes.has(statement.type)) result += pythonText(value);
        else if (isText(value)) result += value.value;
      } catch (error) {
        if (isLoopControl(error)) error.written = result + (error.written ?? '');
        throw error;
      }
    }
    return text(result);
  }

  /** The program's own block has its private method, with the same rules. */
  evalProgram(program: Node, scope: Scope): Value {
    return this.evaluateBlock(program.body, scope);
  }

  override evaluateFor(node: Node, scope: Scope): Value {
    const filtered = node.iterable.type === 'SelectExpression';
    const all = itemsOf(this.evaluate(filtered ? node.iterable.lhs : node.iterable, scope));
    const items = filtered ? all.filter((item) => this.#passes(node, item, scope)) : all;
    if (items.length === 0) return this.evaluateBlock(node.defaultBlock, inside(scope));
    let result = '';
    for (const [index, item] of items.entries()) {
      const turn = inside(scope);
      setVariable(turn, 'loop', loopVariable(items, index));
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
    if ((operator === 'in' || operator === 'not in') && isList(right)) {
      return boolean(right.value.some((item) => equal(item, left)) === (operator === 'in'));
    }
    if (operator === '+' && isText(left) !== isText(right)) {
      throw new Error(
        `A string can only be joined to a string with +, not to ${isText(left) ? kind(right) : kind(left)}.`,
      );
    }
    if (operator === '%' && left.type === 'IntegerValue' && right.type === 'IntegerValue' && right.value !== 0) {
      return integer(floorModulo(left.value as number, right.value as number));
    }
    if (isText(left) && isText(right) && comparisons[operator]) {
      return boolean(comparisons[operator](Buffer.compare(Buffer.from(left.value), Buffer.from(right.value))));
    }
    return super.evaluateBinaryExpression({ ...node, left: constant(left), right: constant(right) }, scope);
  }

  override evaluate(node: Node | undefined, scope: Scope): Value {
    if (node?.type === 'Constant') return node.value;
    if (node?.type === 'Program') return this.evalProgram(node, scope);
    return super.evaluate(node, scope);
  }

  override applyFilter(operand: Value, filter: Node, scope: Scope): Value {
    const name = filter.type === 'Identifier' ? filter.value : filter.callee?.value;
    const [args, named] =
      filter.type === 'CallExpression' ? this.evaluateArguments(filter.args, scope) : [[], new Map()];
    switch (name) {
      case 'tojson':
        return text(pythonJson(operand, dumpOptions(args, named)));
      case 'string':
        return text(pythonText(operand));
      case 'trim':
        return text(stripEnd(stripStart(pythonText(operand), args[0]), args[0]));
      case 'length':
      case 'count':
        if (isText(operand)) return integer(Array.from(operand.value).length);
        break;
      case 'default':
      case 'd':
        return defaulted(operand, args, named);
      case 'join':
        if (isList(operand)) return joined(operand.value, args[0] ?? named.get('d'), named.get('attribute') ?? args[1]);
        break;
      case 'selectattr':
      case 'rejectattr':
        return list(itemsOf(operand).filter((item) => testAttribute(item, args, scope) === (name === 'selectattr')));
      case 'select':
      case 'reject':
        return list(itemsOf(operand).filter((item) => testValue(item, args, scope) === (name === 'select')));
      case 'list':
        return list(itemsOf(operand));
    }
    return super.applyFilter(operand, filter, scope);
  }

  #passes(node: Node, item: Value, scope: Scope): boolean {
    const turn = inside(scope);
    bind(node.loopvar, item, turn);
    return truthy(this.evaluate(node.iterable.test, turn));
  }
}

/** Statements write what they rendered, and a set or a macro nothing; all other nodes print a value. */
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

function loopVariable(items: Value[], index: number): Value {
  const scope = new Environment();
  const counters = {
    index: index + 1,
    index0: index,
    revindex: items.length - index,
    revindex0: items.length - index - 1,
    first: index === 0,
    last: index === items.length - 1,
    length: items.length,
  };
  const loop = scope.set('loop', counters) as unknown as { value: Map<string, Value> };
  if (items[index - 1]) loop.value.set('previtem', items[index - 1]!);
  if (items[index + 1]) loop.value.set('nextitem', items[index + 1]!);
  return loop as unknown as Value;
}

/** As in Python, the result has the sign of the divisor. */
function floorModulo(a: number, b: number): number {
  return a - b * Math.floor(a / b);
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return `'${node.value}'`;
  if (node.type === 'MemberExpression') return `'${node.property.value ?? 'member'}'`;
  return 'A value';
}
