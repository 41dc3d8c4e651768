/** The last frame of a stream of chunks. */
export const done = 'data: [DONE]\n\n';

export function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
