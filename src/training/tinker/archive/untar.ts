const blockBytes = 512;

/** The regular files of a tar archive, by the last part of their paths. @throws Error for an archive that is cut off */
export function untar(bytes: Uint8Array): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + blockBytes <= bytes.length; ) {
    const header = bytes.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeOf(header.subarray(124, 136));
    const start = at + blockBytes;
    if (!Number.isSafeInteger(size) || size < 0 || start + size > bytes.length)
      throw new Error('the archive is cut off');
    if (isRegular(header[156]!))
      files.set(baseName(textOf(header.subarray(0, 100))), bytes.subarray(start, start + size));
    at = start + Math.ceil(size / blockBytes) * blockBytes;
  }
  return files;
}

/** Octal digits, or for large files a big-endian number after a first byte of 0x80. */
function sizeOf(field: Uint8Array): number {
  if (field[0] !== 0x80) return Number.parseInt(textOf(field).trim() || '0', 8);
  return field.subarray(1).reduce((size, byte) => size * 256 + byte, 0);
}

function isRegular(type: number): boolean {
  return type === 0 || type === '0'.charCodeAt(0);
}

function textOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString();
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
