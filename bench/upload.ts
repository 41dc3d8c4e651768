import { loadavg } from 'node:os';
import { setInterval } from 'node:timers';
import { benchProject, startHeddle } from './support/heddle.ts';
import { report } from './support/report.ts';

/**
 * By how much the memory of the server grows while a file is uploaded to `/v1/files`, and how long it takes.
 * `npm run bench -- upload [MB]`
 */
const megabytes = Number(process.argv[2] ?? 500);
const megabyte = 1024 ** 2;
const line = Buffer.from(
  `${JSON.stringify({
    messages: [
      { role: 'user', content: 'x'.repeat(900) },
      { role: 'assistant', content: 'y' },
    ],
  })}\n`,
);
const piece = Buffer.concat(Array.from({ length: Math.ceil(megabyte / line.length) }, () => line));

const heddle = await startHeddle();
try {
  await upload(1); // loads what the first upload needs
  const before = heddle.residentBytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, heddle.residentBytes());
  }, 50);
  const start = performance.now();
  const { bytes } = await upload(megabytes);
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  peak = Math.max(peak, heddle.residentBytes());
  report(`an upload of ${megabytes} MB`, {
    'MB more memory at most': (peak - before) / megabyte,
    'MB of memory before': before / megabyte,
    'MB/s': bytes / megabyte / seconds,
    'load in the last minute': loadavg()[0]!,
  });
} finally {
  await heddle.stop();
  heddle.remove();
}

/** Sends a file whose content is made while it is sent. */
async function upload(count: number): Promise<{ bytes: number }> {
  const boundary = 'heddle-bench';
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nfine-tune\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="train.jsonl"\r\n\r\n`;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) controller.enqueue(Buffer.from(head));
      if (sent++ < count) return controller.enqueue(piece);
      controller.enqueue(Buffer.from(`\r\n--${boundary}--\r\n`));
      controller.close();
    },
  });
  const response = await fetch(`${heddle.address}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${heddle.key}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'x-heddle-project': benchProject,
    },
    body,
    duplex: 'half',
  } as RequestInit);
  if (!response.ok) throw new Error(`The upload failed: ${await response.text()}`);
  return (await response.json()) as { bytes: number };
}
