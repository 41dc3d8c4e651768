import { readFileSync } from 'node:fs';
import { invalidInput } from '../util/failures.ts';
import { parsePlain } from '../util/json/parse.ts';

/** @throws Failure if the file cannot be read, or is not JSON */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw invalidInput(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return parsePlain(text);
  } catch {
    throw invalidInput(`${file} is not JSON.`);
  }
}
