import { Worker } from 'node:worker_threads';
import { yieldToParent } from '../../util/workers/yield-to-parent.ts';

/** The process of one model in training. */
yieldToParent();
new Worker(new URL('./watch-parent.ts', import.meta.url)).unref();
const { serveTrainer } = await import('./serve-trainer.ts');
serveTrainer();
