import type { z } from 'zod';

/** More findings do not help, and each of a million would cost memory and time. */
export const findingsMax = 100;

/**
 * Makes the arrays and records in a schema stop after enough findings: Zod would collect the findings of all their
 * elements. They are parsed a few elements at a time, and the rest is skipped. Returns the schema.
 */
export function boundFindings<Schema extends z.ZodType>(schema: Schema): Schema {
  visit(schema);
  return schema;
}

const visited = new WeakSet<z.ZodType>();

function visit(schema: z.ZodType): void {
  if (visited.has(schema)) return;
  visited.add(schema);
  const def = schema._zod.def as unknown as Definition;
  switch (def.type) {
    case 'object':
      for (const member of Object.values(def.shape)) visit(member);
      break;
    case 'array':
      replaceParse(schema, parseArray);
      visit(def.element);
      break;
    case 'record':
      if (def.keyType._zod.values === undefined) replaceParse(schema, parseRecord); // otherwise it has few keys
      visit(def.valueType);
      break;
    case 'union':
      for (const option of def.options) visit(option);
      break;
    case 'pipe':
      visit(def.in);
      visit(def.out);
      break;
    case 'lazy':
      visit(def.getter());
      break;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'nonoptional':
    case 'readonly':
      visit(def.innerType);
      break;
    default:
      break;
  }
}

/** The parts of Zod's definitions that are walked. */
type Definition =
  | { type: 'object'; shape: Record<string, z.ZodType> }
  | { type: 'array'; element: z.ZodType }
  | { type: 'record'; keyType: z.ZodType; valueType: z.ZodType }
  | { type: 'union'; options: z.ZodType[] }
  | { type: 'pipe'; in: z.ZodType; out: z.ZodType }
  | { type: 'lazy'; getter(): z.ZodType }
  | {
      type: 'optional' | 'nullable' | 'default' | 'prefault' | 'catch' | 'nonoptional' | 'readonly';
      innerType: z.ZodType;
    }
  | { type: 'other' };

type Parse = z.ZodType['_zod']['parse'];
type Payload = Parameters<Parse>[0];

/** Few, so that elements that contain arrays do not multiply the findings. */
const elementsAtATime = 32;

/** A schema without checks runs its `parse` directly; one with checks looks it up. */
function replaceParse(schema: z.ZodType, around: (parse: Parse) => Parse): void {
  const { parse, run } = schema._zod;
  schema._zod.parse = around(parse);
  if (run === parse) schema._zod.run = schema._zod.parse;
}

function parseArray(parse: Parse): Parse {
  return (payload, context) => {
    const input = payload.value as unknown;
    if (!Array.isArray(input) || input.length <= elementsAtATime) return parse(payload, context);
    const parsed: unknown[] = [];
    for (let start = 0; start < input.length && payload.issues.length < findingsMax; start += elementsAtATime) {
      const part = parseNow(parse, input.slice(start, start + elementsAtATime), context);
      for (const element of part.value as unknown[]) parsed.push(element);
      for (const issue of part.issues) {
        const [index, ...path] = issue.path as [number, ...PropertyKey[]];
        payload.issues.push({ ...issue, path: [start + index, ...path] });
      }
    }
    payload.value = parsed;
    return payload;
  };
}

function parseRecord(parse: Parse): Parse {
  return (payload, context) => {
    const input = payload.value as unknown;
    const keys = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.keys(input) : [];
    if (keys.length <= elementsAtATime) return parse(payload, context);
    const parsed: Record<string, unknown> = {};
    for (let start = 0; start < keys.length && payload.issues.length < findingsMax; start += elementsAtATime) {
      const some = keys.slice(start, start + elementsAtATime);
      const members = Object.fromEntries(some.map((key) => [key, (input as Record<string, unknown>)[key]]));
      const part = parseNow(parse, members, context);
      Object.assign(parsed, part.value);
      payload.issues.push(...part.issues);
    }
    payload.value = parsed;
    return payload;
  };
}

function parseNow(parse: Parse, value: unknown, context: Parameters<Parse>[1]): Payload {
  const part = parse({ value, issues: [] } as Payload, context);
  if (part instanceof Promise) throw new Error('Schemas of requests must be synchronous.');
  return part;
}
