import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../engine/testing/fixtures.ts';
import { WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import { hostProcess } from './host-worker.ts';
import type { ModelHost } from './serve-host.ts';
import { testLimits } from './testing/options.ts';

test('an uncaught error ends the process and reports where it happened, but not the request', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const model = new WorkerClient<ModelHost>(hostProcess(0));
  onTestFinished(() => model.kill());
  const path = fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url));
  await model.request('open', {
    textPath: path,
    limits: testLimits,
    engine: { kind: 'own', path, cacheDirectory: folder, contextMax: 256, cacheBytesMax: 2 ** 24 },
  });
  const failed = await model.request('what a request brought' as 'open', {} as never).catch((error) => error);
  expect(failed).toBeInstanceOf(WorkerLost);
  const { how, cause } = (failed as WorkerLost).end!;
  expect(how).toBe('with exit code 1');
  expect(cause!.message).toMatch(/^Error at .*serve-requests\.ts:\d+/);
  expect(cause!.message).not.toContain('brought');
});
