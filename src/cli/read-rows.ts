import { createReadStream, existsSync } from 'node:fs';
import { invalidInput } from '../util/failures.ts';
import type { JsonText } from '../util/json/json-text.ts';
import { parseJson } from '../util/json/parse.ts';
import { linesOf } from '../util/lines.ts';
import { utf8Text } from '../util/utf8-text.ts';

/** Whether the name of a dataset is that of a file on this machine. */
export function isRowsFile(name: string): boolean {
  return /\.jsonl?$/i.test(name) && existsSync(name);
}

/** The rows of a file as JSON texts: one object per line, or a list of objects. @throws Failure */
export async function readRows(file: string): Promise<string[]> {
  const bytes = createReadStream(file);
  const rows = await (/\.json$/i.test(file) ? listIn(bytes, file) : rowsOfLines(bytes, file));
  if (rows.length === 0) throw invalidInput(`${file} has no rows.`);
  const wrong = rows.findIndex(({ kind }) => kind !== 'object');
  if (wrong >= 0) throw invalidInput(`Row ${wrong + 1} of ${file} is not a JSON object.`);
  return rows.map((row) => row.text);
}

async function listIn(bytes: AsyncIterable<Uint8Array>, file: string): Promise<JsonText[]> {
  const text = (await Array.fromAsync(utf8Text(bytes, file))).join('');
  const list = parse(text, file, { '*': true });
  if (!Array.isArray(list))
    throw invalidInput(`${file} is not a list of rows. Write one row per line in a .jsonl file.`);
  return list as JsonText[];
}

async function rowsOfLines(bytes: AsyncIterable<Uint8Array>, file: string): Promise<JsonText[]> {
  const rows: JsonText[] = [];
  let number = 0;
  for await (const line of linesOf(bytes, file)) {
    number++;
    if (line.trim() !== '') rows.push(parse(line, `Line ${number} of ${file}`, true) as JsonText);
  }
  return rows;
}

function parse(text: string, place: string, keep: true | { '*': true }): unknown {
  try {
    return parseJson(text, { keep });
  } catch (error) {
    throw invalidInput(`${place} is not JSON: ${(error as Error).message}`);
  }
}
