/** The bytes of several buffers in one; a single buffer is not copied. */
export function joined(buffers: Buffer[]): Buffer {
  return buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers);
}
