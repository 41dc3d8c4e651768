import type { z } from 'zod';
import type { KeepTree } from '../util/json/parse.ts';
import { isKept } from './wire.ts';

/** Which values of a body are kept as text, derived from its schema so that the two always agree. */
export function keepTreeOf(schema: z.ZodType): KeepTree | undefined {
  if (isKept(schema)) return true;
  const def = schema._zod.def as unknown as Definition;
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape).flatMap(([key, member]) => branch(key, keepTreeOf(member)));
      return members.length > 0 ? Object.fromEntries(members) : undefined;
    }
    case 'array':
      return only('*', keepTreeOf(def.element));
    case 'record':
      return only('*', keepTreeOf(def.valueType));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return keepTreeOf(def.innerType);
    case 'pipe':
      return keepTreeOf(def.in);
    case 'lazy':
      return undefined; // recursive schemas contain no payloads
    case 'union':
      return def.options.map(keepTreeOf).reduce(merge, undefined);
    default:
      return undefined;
  }
}

/** The parts of Zod's definitions that are walked. */
type Definition =
  | { type: 'object'; shape: Record<string, z.ZodType> }
  | { type: 'array'; element: z.ZodType }
  | { type: 'record'; valueType: z.ZodType }
  | { type: 'optional' | 'nullable' | 'default' | 'prefault'; innerType: z.ZodType }
  | { type: 'pipe'; in: z.ZodType }
  | { type: 'union'; options: z.ZodType[] }
  | { type: 'lazy' };

function branch(key: string, tree: KeepTree | undefined): [string, KeepTree][] {
  return tree === undefined ? [] : [[key, tree]];
}

function only(key: string, tree: KeepTree | undefined): KeepTree | undefined {
  return tree === undefined ? undefined : { [key]: tree };
}

function merge(left: KeepTree | undefined, right: KeepTree | undefined): KeepTree | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  if (left === true || right === true) return true;
  const merged: Record<string, KeepTree> = { ...left };
  for (const [key, tree] of Object.entries(right)) merged[key] = merge(merged[key], tree)!;
  return merged;
}
