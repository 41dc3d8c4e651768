import { planted } from './planted.ts';
import { runChaos } from './run-chaos.ts';

/**
 * Kills and freezes processes that share all stores while clients write to them, and checks everything that was acknowledged
 * (`run-chaos.ts`). With the name of a mistake, the processes have it, and the run must find it.
 *
 *     npm run chaos -- [minutes] [seed] [mistake]
 */

const minutes = Number(process.argv[2] ?? 30);
const seed = Number(process.argv[3] ?? Date.now() % 1e6);
const mistake = process.argv[4] ?? null;
if (mistake !== null && !(mistake in planted)) throw new Error(`There are these mistakes: ${Object.keys(planted)}`);

const print = (line: string) => process.stdout.write(`${Math.round(performance.now() / 1000)} s: ${line}\n`);
const { wrong } = await runChaos({ seconds: 60 * minutes, seed, mistake, print });
const isAsWanted = mistake === null ? wrong.length === 0 : wrong.length > 0;
process.exitCode = isAsWanted ? 0 : 1;
