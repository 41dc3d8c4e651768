import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { feedbackCreateSchema } from '../src/contract/feedback/feedback.ts';
import { newId } from '../src/contract/ids.ts';
import { keepTreeOf } from '../src/contract/keep-tree.ts';
import { validate } from '../src/contract/validate.ts';
import { Assigner, type Unit } from '../src/domain/policies/assign.ts';
import type { PolicyPlan } from '../src/domain/policies/plan.ts';
import type { Caller } from '../src/identity/identity.ts';
import { openLog } from '../src/log.ts';
import { openContext } from '../src/open/context.ts';
import { WatchedPolicy } from '../src/services/policies/watched-policy.ts';
import { listVersions } from '../src/store/postgres/policies/policies.ts';
import { parseJson } from '../src/util/json/parse.ts';
import { toJson } from '../src/util/json/write.ts';
import { nowMicroseconds } from '../src/util/timestamp.ts';
import { fastRandom } from './support/fast-random.ts';
import { report } from './support/report.ts';

/**
 * How long the outcomes of a policy take to be read after a restart, from all calls of its experiment, and what the next pass takes. Half of
 * the units are single requests, the others threads of four answers; 60 % of answers have feedback.
 *
 *     npm run bench -- policy-outcomes [--calls 200000]
 */
const { values } = parseArgs({ options: { calls: { type: 'string', default: '200000' } } });
const calls = Number(values.calls);
const pageSize = 5000;
/** About what a chat of two kilobytes has. */
const inputs = JSON.stringify({ messages: [{ role: 'user', content: 'lorem ipsum '.repeat(80) }] });
const sampled = { temperature: 1, top_p: 1, seed: 1, ids: Array.from({ length: 100 }, (_, i) => i) };

const directory = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
const config = readConfig({}, { HEDDLE_DATA: directory, HEDDLE_LOG_LEVEL: 'error' });
const context = await openContext(config, openLog(config));
try {
  await measure(context);
} finally {
  await context.close();
  rmSync(directory, { recursive: true, force: true });
}
process.exit();

async function measure({ identity, services, postgres, clickhouse }: Context): Promise<void> {
  await identity.ensureOwner({ name: 'ent', apiKey: '' });
  const caller = (await identity.findOwner())!;
  const project = { id: await identity.projectForWrite(caller, 'ent/p'), name: 'ent/p' };
  const { policy } = await services.policies.create({ project, caller }, 'bot', { plan: planOf(), reason: '' });
  const versions = await listVersions(postgres, policy.id);
  await fill({ services, caller, project, policyId: policy.id, assigner: new Assigner(versions[0]!) });

  const until = nowMicroseconds();
  const limits = { writtenBefore: until + 1e6, until, isHeld: () => true };
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 20);
  const watched = new WatchedPolicy(policy, project.name, versions, new Map());
  for (const name of ['read again from all calls', 'the next pass']) {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    await watched.read({ clickhouse }, limits);
    const { user, system } = process.cpuUsage(cpu);
    report(name, { s: (performance.now() - started) / 1000, 's of processors': (user + system) / 1e6 });
  }
  clearInterval(sampling);
  const look = watched.newLooks(until)[0]!.look;
  const units = look.bestArm!.arms.reduce((sum, { counted, missing }) => sum + counted + missing, 0);
  report('', { calls, units, 'MB at most': (most - before) / 1e6 });
}

function planOf(): PolicyPlan {
  const variants = ['a', 'b', 'c'].map((name) => ({ name, model: 'heddle/tiny', prompt: null }));
  const scorer = { reward: 'liked.value', low: 0, high: 1, windowSeconds: 60, missing: 'ignore' as const, harm: 0.1 };
  const traffic = { kind: 'best_arm' as const, scorer: scorer.reward, least: 0.1, shares: null };
  const scorers = [scorer, { ...scorer, reward: 'safe.value' }];
  return { variants, incumbent: 'a', traffic: { ...traffic, afterWinner: 'keep_least' }, scorers, alpha: 0.05 };
}

type Filled = Pick<Context, 'services'> & {
  caller: Caller;
  project: Parameters<Context['services']['policies']['create']>[0]['project'];
  policyId: string;
  assigner: Assigner;
};

async function fill({ services, caller, project, policyId, assigner }: Filled): Promise<void> {
  const random = fastRandom(1, 0);
  const endsAt = nowMicroseconds() - 600 * 1e6;
  for (let from = 0; from < calls; from += pageSize) {
    const records: Parameters<typeof services.calls.record>[0] = [];
    const ratings: Parameters<typeof services.feedback.add>[1] = [];
    for (let i = from; i < Math.min(calls, from + pageSize); i++) {
      const id = newId();
      const unit: Unit =
        i % 5 === 0 ? { kind: 'request', id } : { kind: 'thread', id: `thread ${Math.floor(i / 5 / 4) * 4 + (i % 4)}` };
      const { variant, probability, bucket, isMoved: moved } = assigner.assign(unit);
      const of = { policy: 'policy:///ent/p/bot', policy_id: policyId, version: 1, variant: variant.name };
      const assignment = {
        ...of,
        unit: unit.kind,
        unit_id: unit.id,
        probability,
        bucket,
        moved,
        answered_by: 'a',
        failure: null,
      };
      const attributes = toJson({ heddle: { model: { id: 'm', name: 'heddle/tiny' }, assignment, sampling: sampled } });
      const endedAt = endsAt + i * 1000;
      const texts = { attributes, inputs, output: inputs, summary: '{}' };
      const call = { id, traceId: id, opName: 'heddle.chat.completions', startedAt: endedAt - 1e6, endedAt, ...texts };
      records.push({ projectId: project.id, id, part: await services.calls.makeComplete(call, caller.userId) });
      if (random() < 0.6) ratings.push({ ...feedbackOn(id, random() < 0.5 ? 1 : 0), createdAt: endedAt + 1000 });
    }
    await services.calls.record(records);
    await services.feedback.add(caller, ratings);
  }
}

function feedbackOn(callId: string, value: number) {
  const text = `{"project_id":"ent/p","weave_ref":"weave:///ent/p/call/${callId}","feedback_type":"liked","payload":{"value":${value}}}`;
  return validate(feedbackCreateSchema, parseJson(text, { keep: keepTreeOf(feedbackCreateSchema) }), 'body');
}
