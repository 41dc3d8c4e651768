import { parsePlain } from './parse.ts';

export function isJson(text: string): boolean {
  try {
    parsePlain(text);
    return true;
  } catch {
    return false;
  }
}
