import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Services } from '../services/services.ts';
import type { Watch } from './pull/progress.ts';

export const exportParams = z.object({
  name: z.string().min(1),
  format: z.enum(['peft', 'safetensors', 'gguf']),
  target: z.string().refine(isAbsolute, 'must be an absolute path'),
  replaces: z.boolean(),
});

/** Time between two progress reports of an export. */
const reportMsMin = 200;

/** Writes a model to a path on this machine. */
export async function exportModel(
  { exports }: Pick<Services, 'exports'>,
  order: z.output<typeof exportParams>,
  { report, signal }: Watch,
) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const exported = await exports.export(order, {
    signal,
    onProgress(progress) {
      const now = performance.now();
      if (now - reportedAt < reportMsMin && progress.doneBytes < progress.totalBytes) return;
      reportedAt = now;
      report({ step: 'writing', ...progress });
    },
  });
  return { ...exported, target: order.target };
}
