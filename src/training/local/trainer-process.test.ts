import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, modelProcesses } from '../../chat/testing/model-processes.ts';
import { temporaryFolder } from '../../engine/testing/fixtures.ts';

test.each([[], ['idle']])(
  'a training process has a lower priority than the server, no secrets, and ends with it: %s',
  async (...state) => {
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    const program = fileURLToPath(new URL('../../engine/training/testing/training-parent.ts', import.meta.url));
    const parent = fork(program, [folder, ...state], { env: { ...process.env, HF_TOKEN: 'secret' } });
    onTestFinished(() => void parent.kill('SIGKILL'));
    await once(parent, 'message');
    const [trainer, ...others] = modelProcesses(parent.pid!, 'trainer-process.ts');
    expect(others).toEqual([]);
    expect(trainer!.oomScore).toBe(1000);
    const own = modelProcesses(process.pid, 'training-parent.ts')[0]!;
    expect(trainer!.niceness).toBe(Math.min(19, own.niceness + 3));
    expect(trainer!.environment.join()).not.toContain('secret');
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(trainer!.pid), { timeout: 10_000 }).toBe(false);
  },
);
