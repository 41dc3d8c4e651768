import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePlain } from '../../util/json/parse.ts';

/** A JSON object in a model's folder; null if there is no such file. @throws with the name of a file that is not one */
export async function readJsonFile(folder: string, name: string): Promise<Record<string, unknown> | null> {
  const file = join(folder, name);
  if (!existsSync(file)) return null;
  let value: unknown;
  try {
    value = parsePlain(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${name} is not a JSON object.`);
}
