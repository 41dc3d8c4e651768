import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../testing/fixtures.ts';
import type { Told } from './protocol.ts';
import { startHostProcess } from './start-host-process.ts';

test('an error that nobody caught ends the process and says where it happened, but not what a request brought', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const opened = Promise.withResolvers<Told>();
  const ended = Promise.withResolvers<string>();
  let reason = '';
  const onTold = (told: Told) => {
    if (told.type === 'failed') reason = told.reason;
    else opened.resolve(told);
  };
  const model = startHostProcess(0, { onTold, onEnd: ended.resolve });
  onTestFinished(() => model.kill());
  const limits = {
    runningMax: 1,
    waitingMax: 1,
    choicesMax: 1,
    logprobsMax: 1,
    preparersMax: 1,
    preparationsWaitingMax: 100,
  };
  model.send({
    path: fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url)),
    cacheDirectory: folder,
    limits,
  });
  expect(await opened.promise).toEqual({ type: 'opened' });
  model.send({ type: 'what a request brought' } as never);
  expect(await ended.promise).toBe('with exit code 1');
  expect(reason).toMatch(/^Error at .*serve-host\.ts:\d+/);
  expect(reason).not.toContain('brought');
});
