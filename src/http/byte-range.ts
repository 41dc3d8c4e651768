import type { ByteRange } from '../util/download.ts';

/**
 * The part that the header `Range` asks for (RFC 9110, 14.2).
 * @returns `whole` for headers that are ignored: other units, several parts, wrong syntax; `none` for a part beyond the end
 */
export function readByteRange(header: string, sizeBytes: number): ByteRange | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const [start, end] = [Number(first), last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)];
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= sizeBytes ? 'none' : { start, end };
}
