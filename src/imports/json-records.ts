import { invalidInput } from '../util/failures.ts';
import { visible } from '../util/visible.ts';

/** A record with its number in the file and the line where it begins, both from 1. */
export type JsonRecord = { number: number; line: number; text: string };

const recordCharactersMax = 64 * 1024 * 1024;

/**
 * The objects of a text: JSON lines, objects one after another, or the elements of one array. The text may have any
 * size; one record at a time is in memory. A line that ends inside its object is reported as a record, and the next
 * line starts another one.
 * @throws Failure for anything else between the objects, and for an object without an end
 */
export async function* jsonRecords(pieces: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let number = 0;
  let parts: string[] = []; // of the current record
  let length = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let hasLines: boolean | null = null; // known from the first record
  let [line, firstLine] = [1, 1];
  for await (const piece of pieces) {
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const code = piece.charCodeAt(i);
      if (code === lineFeed) line++;
      if (depth === 0) {
        if (code === openBrace) [depth, start, firstLine] = [1, i, line];
        else if (code === openBracket) hasLines = false;
        else if (!isBetween(code))
          throw invalidInput(
            `Found ${visible(JSON.stringify(piece[i]))} after record ${number}, expected a JSON object.`,
          );
      } else if (code === lineFeed && (hasLines ?? isInString)) {
        yield { number: ++number, line: firstLine, text: parts.join('') + piece.slice(start, i) };
        [parts, length, depth, isInString, isEscaped] = [[], 0, 0, false, false];
      } else if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) isInString = false;
      } else if (code === quote) isInString = true;
      else if (code === openBrace) depth++;
      else if (code === closeBrace && --depth === 0) {
        const text = parts.join('') + piece.slice(start, i + 1);
        hasLines ??= !text.includes('\n');
        yield { number: ++number, line: firstLine, text };
        [parts, length] = [[], 0];
      }
    }
    if (depth === 0) continue;
    parts.push(piece.slice(start));
    length += piece.length;
    if (length > recordCharactersMax)
      throw invalidInput(`Record ${number + 1} has more than ${recordCharactersMax} characters.`);
  }
  if (depth > 0) throw invalidInput(`The file ends within record ${number + 1}.`);
}

const quote = 0x22;
const backslash = 0x5c;
const lineFeed = 0x0a;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** White space, and the delimiters of an array around its elements. */
const between = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5b, 0x5d]);

function isBetween(code: number): boolean {
  return between.has(code);
}
