import { parseArgs } from 'node:util';
import { Assigner, type Unit } from '../src/domain/policies/assign.ts';
import { nextVersion } from '../src/domain/policies/version.ts';

/**
 * How much processor time the assignment of a variant costs a chat: the bucket of its unit, its variant and probability. At most 50 µs are
 * wanted. `--units 200000` assigns so many, in ten rounds.
 */
const { values } = parseArgs({ options: { units: { type: 'string', default: '200000' } } });
const units = Number(values.units);

const variants = ['now', 'next', 'other'].map((name) => ({ name, model: name, prompt: null }));
const shares = { now: 0.7, next: 0.2, other: 0.1 };
const plan = { variants, incumbent: 'now', traffic: { kind: 'split' as const, shares }, scorers: [], alpha: 0.05 };
const assigner = new Assigner(nextVersion('key', null, plan));
const kinds = ['thread', 'user', 'request'] as const;

const counts = new Map<string, number>();
const microseconds: number[] = [];
for (let round = 0; round < 10; round++) {
  const made: Unit[] = Array.from({ length: units / 10 }, (_, i) => ({
    kind: kinds[i % 3]!,
    id: `0197d1f4-6f3b-7c40-9a51-${String(round * units + i).padStart(12, '0')}`,
  }));
  const before = process.cpuUsage();
  for (const unit of made) {
    const { name } = assigner.assign(unit).variant;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const { user, system } = process.cpuUsage(before);
  microseconds.push((user + system) / made.length);
}
microseconds.sort((a, b) => a - b);
const divided = [...counts].map(([name, count]) => `${name} ${((100 * count) / units).toFixed(2)} %`).join(', ');
process.stdout.write(
  `${units.toLocaleString('en')} units: ${microseconds[5]!.toFixed(2)} µs of processor time each (rounds: ` +
    `${microseconds[0]!.toFixed(2)} to ${microseconds.at(-1)!.toFixed(2)} µs; at most 50 are wanted). Divided: ${divided}\n`,
);
