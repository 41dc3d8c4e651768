import { digestOf } from '../../tinker/tinker.ts';

/** What identifies a parsed body, so that a repeated request is recognized. */
export function digestOfJson(body: object): string {
  return digestOf(Buffer.from(JSON.stringify(body)));
}
