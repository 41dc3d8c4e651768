import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** A new file that is written from its start to its end. It waits for the disk. */
export type FileWriter = {
  /** The bytes written so far. */
  readonly position: number;
  write(bytes: Uint8Array): void;
  /** Writes zeros up to a multiple of some bytes. */
  pad(alignment: number): void;
};

/**
 * Writes a file; its content is durable once this ends. It yields the bytes of each piece, so that whoever runs it can do
 * something else in between.
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
