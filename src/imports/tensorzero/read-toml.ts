import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';

export type Table = Record<string, unknown>;

/** Members that name a file. What they name becomes their value. */
const fileMembers = new Set([
  ...['system_template', 'user_template', 'assistant_template', 'system_schema', 'user_schema', 'assistant_schema'],
  ...['output_schema', 'path'],
]);

/**
 * The configuration in TOML files, together. Members that name files have the text of these files. @throws Failure for a file that
 * cannot be read or parsed
 */
export async function readConfiguration(paths: string[]): Promise<Table> {
  const whole: Table = {};
  for (const path of paths) merge(whole, await readOne(path), basename(path));
  return whole;
}

async function readOne(path: string): Promise<Table> {
  const text = await readText(path);
  let table: Table;
  try {
    table = parse(text) as Table;
  } catch (error) {
    throw invalidInput(`${path} is not valid TOML: ${(error as Error).message.split('\n')[0]}`);
  }
  const functions = await withFiles(table.functions ?? {}, dirname(path), fileMembers);
  const tools = await withFiles(table.tools ?? {}, dirname(path), new Set(['parameters']));
  return { ...table, functions, tools };
}

async function withFiles(value: unknown, folder: string, members: Set<string>): Promise<unknown> {
  if (Array.isArray(value) || !isObject(value)) return value;
  const entries = Object.entries(value).map(async ([name, member]) => {
    if (typeof member !== 'string') {
      const nested = name === 'input_wrappers' ? new Set(['system', 'user', 'assistant']) : members;
      return [name, await withFiles(member, folder, nested)];
    }
    return [name, members.has(name) ? await readText(resolve(folder, member)) : member];
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw invalidInput(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
  }
}

/** @throws Failure if two files set the same */
function merge(into: Table, more: Table, file: string, at = ''): void {
  for (const [name, value] of Object.entries(more)) {
    const before = Object.hasOwn(into, name) ? into[name] : undefined;
    if (before === undefined) into[name] = value;
    else if (isObject(before) && isObject(value)) merge(before, value, file, `${at}${name}.`);
    else throw invalidInput(`${file} sets ${at}${name}, which another file of the configuration sets too.`);
  }
}
