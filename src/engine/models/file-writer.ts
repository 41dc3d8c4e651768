import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** A new file that is written sequentially. Writes block. */
export type FileWriter = {
  /** The bytes written so far. */
  readonly position: number;
  write(bytes: Uint8Array): void;
  /** Writes zeros up to a multiple of `alignment`. */
  pad(alignment: number): void;
};

/**
 * Writes a file, which is durable when the generator ends. It yields the size of each piece, so that callers can do other
 * work in between.
 */
export function* writeFile(path: string, fill: (file: FileWriter) => Generator<number>): Generator<number> {
  const file = openSync(path, 'wx');
  let position = 0;
  const write = (bytes: Uint8Array) => {
    let done = 0;
    while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done);
    position += done;
  };
  try {
    yield* fill({
      get position() {
        return position;
      },
      write,
      pad: (alignment) => write(new Uint8Array((alignment - (position % alignment)) % alignment)),
    });
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
