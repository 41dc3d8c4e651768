import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A file open for reading. Reads block. */
export type FileBytes = {
  path: string;
  size: number;
  /** @throws Error if the file is too short */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>;
  close(): void;
};

export function openFileBytes(path: string): FileBytes {
  const file = openSync(path, 'r');
  return {
    path,
    size: fstatSync(file).size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      let done = 0;
      while (done < length) {
        const count = readSync(file, bytes, done, length - done, offset + done);
        if (count === 0) throw new Error(`${path} is cut off: it ends before byte ${offset + length}`);
        done += count;
      }
      return bytes;
    },
    close: () => closeSync(file),
  };
}

/** The same for bytes in memory. `path` is for messages. */
export function bytesAsFile(path: string, bytes: Uint8Array): FileBytes {
  return {
    path,
    size: bytes.length,
    read: (offset, length) => new Uint8Array(bytes.subarray(offset, offset + length)),
    close() {},
  };
}
