import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { openNotices } from '../../peers/notices.ts';
import type { Postgres } from '../../postgres.ts';
import { type Cases, each, writers } from './case.ts';

export const peerCases: Cases = {
  /** A lease that is renewed while a notice is sent sees the notice, or is waited for. */
  async 'store/postgres/peers/notices.ts renew'({ postgres }) {
    const processes = writers.map(() => noticesOf(postgres));
    let acknowledged = await processes[0]!.renew(null, (last) => last, null);
    for (const round of writers) {
      const [sent, ...seen] = await Promise.all([
        processes[0]!.send('keys', `round ${round}`),
        ...processes.map((process) => process.renew(acknowledged, (last) => last, null)),
      ]);
      expect(await processes[0]!.behind(sent)).toBe(processes.length); // none has acknowledged it
      for (const last of seen) expect([acknowledged, sent]).toContain(last);
      await each((index) => processes[index]!.renew(sent, (last) => last, null));
      expect(await processes[0]!.behind(sent)).toBe(0);
      acknowledged = sent;
    }
    await each((index) => processes[index]!.leave());
  },

  /** Notices have numbers of their own, without a gap. */
  async 'store/postgres/peers/notices.ts send'({ postgres }) {
    const notices = noticesOf(postgres);
    const before = await notices.renew(null, (last) => last, null);
    const numbers = await each((index) => notices.send('models', `model ${index}`));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(writers.map((index) => before + 1 + index));
    const keys = (await notices.read(before, before + writers.length)).map(({ key }) => key);
    expect(keys.toSorted()).toEqual(writers.map((index) => `model ${index}`));
    await notices.leave();
  },
};

function noticesOf(postgres: Postgres) {
  return openNotices(postgres, { process: newId(), name: 'test', leaseMs: 60_000, channel: 'at_once_notices' });
}
