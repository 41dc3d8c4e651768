import { writeSync } from 'node:fs';

/** What waits for a slow reader; further lines are dropped. */
const waitingBytesMax = 1024 * 1024;
/** How often the reader is tried again. */
const retryMs = 20;
/** How long the end of the process waits for the reader. */
const endMsMax = 100;

/**
 * Writes lines to standard error. They are written at once, so that none is lost when the process crashes. The program does
 * not wait for a reader that is slow or hangs: up to 1 MiB of lines wait in memory, and further ones are dropped. Only a
 * terminal that is paused (Ctrl-S) stops the program. A line that cannot be written, as on a full disk, is lost, but later
 * ones are not; pino's own stream stops for good at the first failed write.
 * @param onDropped called with the number of dropped lines once the reader has read all others
 */
export function openLineWriter(onDropped: (count: number) => void): (line: string) => void {
  // Accessing it makes a pipe or socket non-blocking: `writeSync` then fails with EAGAIN instead of waiting.
  void process.stderr.isTTY;
  const waiting: Buffer[] = [];
  let bytes = 0;
  let dropped = 0;

  function write(line: string): void {
    const whole = Buffer.from(line);
    const rest = waiting.length > 0 ? whole : tryToWrite(whole);
    if (rest.length > 0) wait(rest);
  }

  function wait(line: Buffer): void {
    if (waiting.length > 0 && bytes + line.length > waitingBytesMax) {
      dropped++;
      return;
    }
    if (waiting.length === 0) {
      setTimeout(retry, retryMs).unref();
      process.once('exit', end);
    }
    waiting.push(line);
    bytes += line.length;
  }

  function retry(): void {
    writeWaiting();
    if (waiting.length > 0) {
      setTimeout(retry, retryMs).unref();
      return;
    }
    process.off('exit', end);
    const count = dropped;
    dropped = 0;
    if (count > 0) onDropped(count);
  }

  function writeWaiting(): void {
    for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
      const rest = tryToWrite(line);
      bytes -= line.length - rest.length;
      if (rest.length > 0) {
        waiting[0] = rest;
        return;
      }
      waiting.shift();
    }
  }

  function end(): void {
    const endsAt = performance.now() + endMsMax;
    for (writeWaiting(); waiting.length > 0 && performance.now() < endsAt; writeWaiting()) {
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }

  return write;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** @returns what the reader has no room for yet */
function tryToWrite(bytes: Buffer): Buffer {
  try {
    return bytes.subarray(writeSync(2, bytes));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? bytes : Buffer.alloc(0);
  }
}
