import { basename } from 'node:path';
import { z } from 'zod';
import { describeFaults } from '../../util/describe-faults.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { jsonRecords } from '../json-records.ts';
import { openTextFile } from '../read-file.ts';
import { type Definition, definitions, isKind, type Kind } from './definitions.ts';

/**
 * A record of a file: its value, and where it is, such as `evals.json, line 3`. `sent` is the record with all numbers as
 * they are written.
 */
export type Located<Value> = { place: string; value: Value; sent(): Record<string, unknown> };

export type AnyDefinition = { [Of in Kind]: { kind: Of } & Located<Definition<Of>> }[Kind];

/** What a file contains: records of OpenAI's API, or lines to train on or to evaluate. */
export type FileKind = 'definitions' | 'data';

/** @throws Failure if the file cannot be read, or its first record is neither */
export async function kindOfFile(path: string): Promise<FileKind> {
  const { value: first } = await recordsOf(path).next();
  if (!first) throw invalidInput(`${basename(path)} has no records.`);
  const { place, value } = first;
  if (isKind(value.object)) return 'definitions';
  if (dataMembers.some((member) => Object.hasOwn(value, member))) return 'data';
  throw invalidInput(`${place}: ${expected(value)}`);
}

const dataMembers = ['messages', 'preferred_output', 'item'];

/** The definitions of a file. Those that cannot be read are passed to `refuse`. @throws Failure */
export async function* definitionsOf(path: string, refuse: (reason: string) => void): AsyncGenerator<AnyDefinition> {
  for await (const { place, value, sent } of recordsOf(path)) {
    const kind = value.object;
    if (!isKind(kind)) {
      refuse(`${place}: ${expected(value)}`);
      continue;
    }
    const parsed = definitions[kind].safeParse(value);
    if (parsed.success) yield { place, kind, value: parsed.data, sent } as AnyDefinition;
    else refuse(`${place}: the ${names[kind]} is invalid: ${describeFaults(parsed.error)}`);
  }
}

/** The records of a file as JSON objects, with those of pages one by one. @throws Failure */
export async function* recordsOf(path: string): AsyncGenerator<Located<Record<string, unknown>>> {
  const name = basename(path);
  const { text } = await openTextFile(path);
  try {
    for await (const { line, text: record } of jsonRecords(text)) {
      const place = `${name}, line ${line}`;
      const value = parse(record, place);
      const whole = () => parseJson(record, { keepsDigits: true }) as Record<string, unknown>;
      if (!isPage(value)) {
        yield { place, value, sent: whole };
        continue;
      }
      const { data } = whole() as typeof value;
      for (const [index, each] of value.data.entries()) {
        if (isObject(each)) yield { place, value: each, sent: () => data[index] as Record<string, unknown> };
      }
    }
  } catch (error) {
    if (error instanceof Failure && !error.message.includes(name)) throw invalidInput(`${name}: ${error.message}`);
    throw error;
  }
}

function parse(text: string, place: string): Record<string, unknown> {
  try {
    return parsePlain(text);
  } catch (error) {
    throw invalidInput(`${place}: this is not valid JSON (${(error as Error).message}).`);
  }
}

const page = z.looseObject({ object: z.literal('list').optional(), data: z.array(z.unknown()) });

function isPage(value: unknown): value is z.output<typeof page> {
  return page.safeParse(value).success;
}

function expected(value: Record<string, unknown>): string {
  const found = typeof value.object === 'string' ? `the object ${value.object}` : `an object with ${keysOf(value)}`;
  return `found ${found}, expected an eval, a run, an output item, a file or a fine-tuning job of OpenAI's API, or a line with messages, preferred_output or item.`;
}

function keysOf(value: Record<string, unknown>): string {
  const keys = Object.keys(value)
    .slice(0, 5)
    .map((key) => key.slice(0, 40));
  return keys.length === 0 ? 'no members' : `the members ${keys.join(', ')}`;
}

const names: Record<Kind, string> = {
  eval: 'eval',
  'eval.run': 'run',
  'eval.run.output_item': 'output item',
  'fine_tuning.job': 'fine-tuning job',
  file: 'file',
};
