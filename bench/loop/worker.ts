import { parentPort } from 'node:worker_threads';
import { runLoop } from './run-loop.ts';
import type { Part } from './settings.ts';

export type LoopTask = { seed: number; loop: number; off: Part | null };

parentPort!.on('message', ({ seed, loop, off }: LoopTask) => parentPort!.postMessage(runLoop(seed, loop, off)));
