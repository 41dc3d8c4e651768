import { randomUUID } from 'node:crypto';
import { shuffled } from '../../testing/seeded.ts';
import { type Check, expectEqual } from '../kills/ledger.ts';
import type { Writer } from '../kills/writers.ts';
import { clientOf, timeoutMs } from './clients.ts';
import { isRunning, type Place } from './places.ts';

/** Sends the parts of a call to several processes at the same moment, if possible to those that run. */
export function splitCalls(places: readonly Place[], random: () => number, counts: { overlapping: number }): Writer {
  return async (_client, project, ledger) => {
    const names = { project_id: project, id: randomUUID() };
    const now = () => new Date().toISOString();
    const start = { ...names, trace_id: names.id, op_name: 'work', started_at: now(), attributes: {}, inputs: names };
    const end = { ...names, ended_at: now(), output: names.id, summary: {} };
    const steps: [path: string, body: object][] = [
      ['/call/start', { start }],
      ['/call/end', { end }],
      ['/call/update', { project_id: project, call_id: names.id, display_name: 'renamed' }],
    ];
    const isWhole: Check = async (reader) => {
      const { call } = await reader.ask('POST', '/call/read', { project_id: project, id: names.id });
      if (call === null) return 'the call is lost';
      const { inputs, output, display_name } = call;
      return expectEqual(
        { inputs, output, display_name },
        { inputs: names, output: names.id, display_name: 'renamed' },
      );
    };
    const running = places.filter(isRunning);
    const chosen = shuffled(running.length > 1 ? running : places, random);
    const at: { from: number; to: number }[] = [];
    const send = async ([path, body]: (typeof steps)[number], index: number) => {
      const from = performance.now();
      await clientOf(chosen[index % chosen.length]!, timeoutMs).ask('POST', path, body);
      at.push({ from, to: performance.now() });
    };
    await ledger.change([`split call ${names.id}`], () => Promise.all(steps.map(send)), [isWhole]);
    if (Math.max(...at.map(({ from }) => from)) < Math.min(...at.map(({ to }) => to))) counts.overlapping++;
  };
}
