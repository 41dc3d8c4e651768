import type { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';

/** A body that is cheap to send. */
export type HostileBody = { kind: string; body: string };

/** Large bodies that make an endpoint work hard, whatever it does with them, generated from its schema. */
export function hostileBodies(endpoint: Endpoint, size: number, project: string): HostileBody[] {
  const shape = shapeOf(endpoint.body!) ?? {};
  const given = Object.keys(shape).includes('project_id') ? `"project_id":${JSON.stringify(project)},` : '';
  const fields = Object.entries(shape);
  const at = (place: string, value: string) => ({ kind: place, body: `{${given}${value}}` });
  return [
    at('many unknown members', manyMembers(size)),
    at('one member again and again', repeated('"a":1', size)),
    at('deep arrays', `"a":${repeated(`${'['.repeat(190)}${']'.repeat(190)}`, size, '[', ']')}`),
    at('a string of escapes', `"a":"${'\\u0041\\n'.repeat(size / 8)}"`),
    at('a number of many digits', `"a":${'9'.repeat(size)}`),
    at('an end that is missing', `"a":[${repeated('0', size)}`),
    ...fields.flatMap(([name, schema]) => [
      at(`${name}: numbers`, `"${name}":${repeated('0', size, '[', ']')}`),
      at(`${name}: empty objects`, `"${name}":${repeated('{}', size, '[', ']')}`),
      at(`${name}: strings`, `"${name}":${repeated('"weave:///a/b/object/c:d"', size, '[', ']')}`),
      at(`${name}: members`, `"${name}":{${manyMembers(size)}}`),
      ...(minimal(schema) === null
        ? []
        : [at(`${name}: small elements`, `"${name}":${repeated(minimal(schema)!, size, '[', ']')}`)]),
    ]),
  ];
}

/** As many elements as fit. */
export function repeated(piece: string, size: number, open = '', close = ''): string {
  const count = Math.max(1, Math.floor(size / (piece.length + 1)));
  return `${open}${`${piece},`.repeat(count - 1)}${piece}${close}`;
}

function manyMembers(size: number): string {
  const members: string[] = [];
  for (let length = 0, i = 0; length < size; i++) {
    const member = `"${i.toString(36)}":0`;
    members.push(member);
    length += member.length + 1;
  }
  return members.join(',');
}

type Definition = {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
};

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | null {
  const def = schema._zod.def as unknown as Definition;
  if (def.type === 'object') return def.shape!;
  const inner = def.innerType ?? def.in;
  return inner ? shapeOf(inner) : null;
}

/** An element of the array that a schema accepts, with all required members; null if it accepts none. */
function minimal(schema: z.ZodType): string | null {
  const def = schema._zod.def as unknown as Definition;
  if (def.type === 'array') return exampleOf(def.element!);
  const inner = def.innerType ?? def.in;
  return inner ? minimal(inner) : null;
}

function exampleOf(schema: z.ZodType): string {
  const def = schema._zod.def as unknown as Definition;
  if (def.type === 'string') return '"a"';
  if (def.type === 'array') return '[]';
  if (def.type === 'union') return exampleOf(def.options!.at(-1)!);
  if (def.type === 'object') {
    const members = Object.entries(def.shape!).filter(
      ([, member]) => !['default', 'optional'].includes(typeOf(member)),
    );
    return `{${members.map(([name, member]) => `"${name}":${exampleOf(member)}`).join(',')}}`;
  }
  const inner = def.innerType ?? def.in;
  return inner ? exampleOf(inner) : '{}';
}

function typeOf(schema: z.ZodType): string {
  return (schema._zod.def as unknown as Definition).type;
}
