import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Reads a value that must not be on the command line: from a pipe, or typed on a terminal without being shown. */
export async function readHidden(question: string, input = process.stdin): Promise<string> {
  if (!input.isTTY) return (await text(input)).replace(/\r?\n$/, '');
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
