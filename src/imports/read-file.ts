import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure, invalidInput } from '../util/failures.ts';
import { utf8Text } from '../util/utf8-text.ts';

/** A file that is being read. */
export type OpenFile = { sizeBytes: number; readBytes(): number; text: AsyncIterable<string> };

/** Opens a text file in UTF-8, with or without gzip. @throws Failure if it cannot be read, now or later */
export async function openTextFile(path: string): Promise<OpenFile> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw invalidInput(`${path} is not a file that can be read.`);
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const steps = /\.gz$/i.test(path) ? [counter, createGunzip()] : [counter];
  const last = steps.at(-1)!;
  pipeline([createReadStream(path), ...steps], () => {}); // the reader of the last one gets its error
  return { sizeBytes: found.size, readBytes: () => bytes, text: textOf(last, path) };
}

async function* textOf(stream: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<string> {
  try {
    yield* utf8Text(stream, basename(path));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalidInput(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`);
  }
}
