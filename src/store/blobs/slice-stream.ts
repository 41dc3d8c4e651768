import { pipeline, type Readable, Transform } from 'node:stream';
import type { ByteRange } from '../../util/download.ts';

/** The bytes of a range. The source is closed once they are read. */
export function sliceStream(source: Readable, { start, end }: ByteRange): Readable {
  let position = 0;
  const slice = new Transform({
    transform(piece: Buffer, _encoding, done) {
      const wanted = piece.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position));
      position += piece.length;
      done(null, wanted.length > 0 ? wanted : undefined);
      if (position > end) {
        this.push(null);
        source.destroy();
      }
    },
  });
  return pipeline(source, slice, () => {});
}
