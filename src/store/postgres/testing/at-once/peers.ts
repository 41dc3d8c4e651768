import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { openHearing } from '../../peers/hearing.ts';
import type { Postgres } from '../../postgres.ts';
import { type Cases, each, writers } from './case.ts';

export const peerCases: Cases = {
  /** A lease that is renewed while a notice is sent sees the notice, or is waited for. */
  async 'store/postgres/peers/hearing.ts renew'({ postgres }) {
    const processes = writers.map(() => hearingOf(postgres));
    let heard = await processes[0]!.renew(null);
    for (const round of writers) {
      const [sent, ...seen] = await Promise.all([
        processes[0]!.send('keys', `round ${round}`),
        ...processes.map((process) => process.renew(heard)),
      ]);
      expect(await processes[0]!.behind(sent)).toBe(processes.length); // none says that it has heard it
      for (const last of seen) expect([heard, sent]).toContain(last);
      await each((index) => processes[index]!.renew(sent));
      expect(await processes[0]!.behind(sent)).toBe(0);
      heard = sent;
    }
    await each((index) => processes[index]!.leave());
  },

  /** Notices have numbers of their own, without a gap. */
  async 'store/postgres/peers/hearing.ts send'({ postgres }) {
    const hearing = hearingOf(postgres);
    const before = await hearing.renew(null);
    const numbers = await each((index) => hearing.send('models', `model ${index}`));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(writers.map((index) => before + 1 + index));
    const keys = (await hearing.read(before, before + writers.length)).map(({ key }) => key);
    expect(keys.toSorted()).toEqual(writers.map((index) => `model ${index}`));
    await hearing.leave();
  },
};

function hearingOf(postgres: Postgres) {
  return openHearing(postgres, { process: newId(), name: 'test', leaseMs: 60_000, channel: 'at_once_notices' });
}
