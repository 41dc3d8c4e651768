import { deserialize, serialize } from 'node:v8';

/**
 * Values as messages to child processes have them: numbers keep all their bits, and bigints, maps and typed arrays their types. Each
 * frame is its length in four bytes, and the value. A frame without a value is a heartbeat.
 */
export function toFrame(value: unknown): Buffer {
  const content = serialize(value);
  const frame = Buffer.allocUnsafe(4 + content.length);
  frame.writeUInt32LE(content.length);
  content.copy(frame, 4);
  return frame;
}

export const heartbeat: Buffer = Buffer.alloc(4);

/** @throws if a frame is too large, or if the stream ends within one */
export async function* readFrames<Value>(
  stream: AsyncIterable<Buffer>,
  bytesMax = frameBytesMax,
): AsyncGenerator<Value> {
  let chunks: Buffer[] = [];
  let size = 0;
  /** Of the next frame, with its length. */
  let needed = 4;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= needed) {
      const all: Buffer = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const length = all.readUInt32LE();
      if (length > bytesMax) throw new Error(`A frame has ${length} bytes; at most ${bytesMax} are read.`);
      needed = 4 + length;
      chunks = [all];
      if (size < needed) break;
      if (length > 0) yield deserialize(all.subarray(4, needed)) as Value;
      chunks = [all.subarray(needed)];
      size -= needed;
      needed = 4;
    }
  }
  if (size > 0) throw new Error('A stream of frames ended within a frame.');
}

const frameBytesMax = 512 * 1024 * 1024;
