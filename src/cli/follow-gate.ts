import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { OperationAnswer, Params } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { ApiError, notFound } from '../contract/errors.ts';
import { askServer } from './ask.ts';
import { evaluationProgress } from './evaluation-progress.ts';
import { gateReport } from './gate-report.ts';

/** What an ended gate means for the exit status. */
const exitCodes = { promote: 0, reject: 3, 'not-enough-evidence': 4 } as const;

/** Waits for the end of a gate, prints its evidence, and sets the exit status. */
export async function follow(config: Config, of: Params<'gate.read'>, out: string | undefined): Promise<void> {
  const line = evaluationProgress(process.stderr, 'Threads compared');
  const gate = await ended(config, of, line.show).finally(line.end);
  process.stdout.write(gateReport(gate));
  if (gate.verdict === null) {
    process.exitCode = 1;
    return;
  }
  if (out !== undefined) {
    const { envelope } = await askServer(config, 'gate.verdict', { ...of, id: gate.id });
    writeFileSync(out, `${envelope}\n`);
    process.stderr.write(`Wrote the signed verdict to ${out}.\n`);
  }
  process.exitCode = exitCodes[gate.verdict];
}

type Gate = OperationAnswer<'gate.read'>;

async function ended(
  config: Config,
  of: Params<'gate.read'>,
  show: (progress: { progress: { done: number; total: number } | null }) => void,
): Promise<Gate> {
  for (;;) {
    const gate = await askServer(config, 'gate.read', of).catch((error) => {
      const isGone = error instanceof ApiError && error.status === 503;
      throw isGone ? notFound(`The server stopped. Gate ${of.id} continues when the server starts again.`) : error;
    });
    if (gate.state !== 'waiting' && gate.state !== 'running') return gate;
    const done = gate.estimates?.target.threads ?? 0;
    show({ progress: gate.state === 'waiting' ? null : { done, total: gate.plan.threadsMax } });
    await wait(500);
  }
}
