import { NotTextError, utf8Text } from './utf8-text.ts';

/** Beyond this, a line is not what its reader expects. */
const lineCharactersMax = 256 * 1024 * 1024;

/**
 * The lines of a text in UTF-8. A line ends with `\n` or `\r\n` and nothing else: U+2028 and U+2029 are characters like
 * any other in JSON, where `node:readline` ends lines too. A byte order mark at the beginning is skipped.
 * @param name what is read, for the message of an error
 * @throws NotTextError
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, name = 'The file'): AsyncGenerator<string> {
  let parts: string[] = []; // of the line that has begun
  let length = 0;
  for await (const text of utf8Text(bytes, name)) {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      parts.push(text.slice(start, end));
      yield withoutReturn(parts.length === 1 ? parts[0]! : parts.join(''));
      [parts, length, start] = [[], 0, end + 1];
    }
    if (start === text.length) continue;
    parts.push(text.slice(start));
    length += text.length - start;
    if (length > lineCharactersMax)
      throw new NotTextError(`${name} has a line with more than ${lineCharactersMax} characters.`);
  }
  if (parts.length > 0) yield withoutReturn(parts.join(''));
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
