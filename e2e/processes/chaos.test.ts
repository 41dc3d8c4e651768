import { describe, expect, test } from 'vitest';
import { runChaos } from '../chaos/run-chaos.ts';
import { swiftEnvironment } from '../stores/environment.ts';

describe.skipIf(!swiftEnvironment.isReady())('processes that are killed, frozen and stopped at points', () => {
  test('everything that was acknowledged holds at each of them', async () => {
    const lines: string[] = [];
    const { wrong } = await runChaos({ seconds: 15, seed: 7, mistake: null, print: (line) => lines.push(line) });
    expect(wrong, lines.join('\n')).toEqual([]);
  }, 900_000);
});
