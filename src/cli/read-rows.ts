import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { invalidInput } from '../util/failures.ts';
import type { JsonText } from '../util/json/json-text.ts';
import { parseJson } from '../util/json/parse.ts';

/** Whether the name of a dataset is that of a file on this machine. */
export function isRowsFile(name: string): boolean {
  return /\.jsonl?$/i.test(name) && existsSync(name);
}

/** The rows of a file as JSON texts: one object per line, or a list of objects. @throws Failure */
export async function readRows(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const rows = /\.json$/i.test(file) ? listIn(text, file) : linesOf(text, file);
  if (rows.length === 0) throw invalidInput(`${file} has no rows.`);
  const wrong = rows.findIndex(({ kind }) => kind !== 'object');
  if (wrong >= 0) throw invalidInput(`Row ${wrong + 1} of ${file} is not a JSON object.`);
  return rows.map((row) => row.text);
}

function listIn(text: string, file: string): JsonText[] {
  const list = parse(text, file, { '*': true });
  if (!Array.isArray(list))
    throw invalidInput(`${file} is not a list of rows. Write one row per line in a .jsonl file.`);
  return list as JsonText[];
}

function linesOf(text: string, file: string): JsonText[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    return [parse(line, `Line ${i + 1} of ${file}`, true) as JsonText];
  });
}

function parse(text: string, place: string, keep: true | { '*': true }): unknown {
  try {
    return parseJson(text, { keep });
  } catch (error) {
    throw invalidInput(`${place} is not JSON: ${(error as Error).message}`);
  }
}
