import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.ts';

const { beats, checkMs, checksMax, message } = workerData as WatchdogData;
let seen = 0;
let checks = 0;

/** Counts checks instead of time: a suspended process continues counting where it was. */
setInterval(() => {
  const now = Atomics.load(beats, 0);
  checks = now === seen ? checks + 1 : 0;
  seen = now;
  if (checks < checksMax) return;
  try {
    writeSync(2, `${message}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL'); // an orderly exit would wait for the blocked thread
  }
}, checkMs);
