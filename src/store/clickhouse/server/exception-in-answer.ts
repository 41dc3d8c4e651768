const marker = '__exception__';

/**
 * A statement may fail after its answer has begun, with status 200: then the answer ends with
 * `\r\n__exception__\r\nTAG\r\nMESSAGE\nLENGTH TAG\r\n__exception__\r\n`, where TAG is in a header of the response.
 * @throws Error with the message, as of a statement that failed at once
 */
export function checkTail(answer: Buffer, headers: Record<string, unknown>): void {
  const tag = headers['x-clickhouse-exception-tag'];
  if (typeof tag !== 'string' || tag === '') return;
  const end = ` ${tag}\r\n${marker}\r\n`;
  if (answer.length < end.length || answer.toString('latin1', answer.length - end.length) !== end) return;
  const begin = Buffer.from(`\r\n${marker}\r\n${tag}\r\n`);
  const at = answer.lastIndexOf(begin);
  const text = answer.toString('utf8', at < 0 ? answer.length : at + begin.length);
  throw new Error(
    text
      .slice(0, -end.length)
      .replace(/\n\d+$/, '')
      .trim() || 'The answer was cut.',
  );
}
