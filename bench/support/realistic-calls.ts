import type { CallRow } from '../../src/domain/calls/call-row.ts';
import { prose } from './prose.ts';
import { type Random, randomFrom } from './random.ts';

/** A million calls for measuring lie over 29 days. Twelve make a trace; every second trace is a turn of a thread, four turns make one. */
export const callSpacing = 2_500_000;
const traceLength = 12;

export function realisticCall(projectId: string, n: number, startedAt: number): CallRow {
  const random = randomFrom(n + 7);
  const root = n - (n % traceLength);
  const rootId = callId(root, startedAt - (n - root) * callSpacing);
  const isTurn = (root / traceLength) % 2 === 0;
  const model = random.pick(models);
  const [prompt, completion] = [100 + random.below(2000), 20 + random.below(600)];
  const isFailed = random.below(50) === 0;
  return {
    projectId,
    startedAt,
    id: callId(n, startedAt),
    version: startedAt,
    isDeleted: false,
    isStarted: true,
    ...{
      isRenamed: false,
      isRepeated: false,
      isTopmost: false,
      startNumber: 0,
      endNumber: 0,
      traceId: callId(root + 0.5, startedAt - (n - root) * callSpacing),
      displayName: '',
      ...(isTurn
        ? { threadId: `thread-${Math.floor(root / traceLength / 8)}`, turnId: rootId }
        : { threadId: '', turnId: '' }),
    },
    parentId: n === root ? '' : rootId,
    opName: `weave:///ent/proj/op/step_${n % traceLength}:${hex(random, 44)}`,
    endedAt: startedAt + random.below(5_000_000),
    status: isFailed ? 'error' : 'success',
    exception: isFailed ? '{"type":"ValueError","message":"the model answered nothing","traceback":[]}' : '',
    attributes: JSON.stringify(attributes(random)),
    inputs: JSON.stringify(inputs(random, n, model)),
    output: JSON.stringify(isFailed ? null : output(random, model)),
    summary: JSON.stringify(summary(model, prompt, completion, isFailed)),
    otelDump: '',
    mapperVersion: 0,
    inputRefs: [],
    outputRefs: [],
    wbUserId: 'user-1',
    wbRunId: '',
    wbRunStep: null,
    wbRunStepEnd: null,
  };
}

/** What can be asked for: a tag has 1 call in 100, a customer 1 in 10,000, an incident's word 1 in 10,000. */
const tags = 100;
const customers = 10_000;
export const incidents = 10_000;

export function incidentWord(n: number): string {
  return `incident${(n * 7919 + 100_003).toString(36)}q`;
}

const models = ['gpt-4o', 'claude-sonnet', 'llama-70b'] as const;

function attributes(random: Random): unknown {
  return {
    weave: { client_version: '0.53.12', source: 'python-sdk', os_name: 'Linux', python: '3.12.4' },
    tag: `t${random.below(tags)}`,
    request: hex(random, 32),
    retries: random.below(3),
    production: random.below(2) === 0,
  };
}

function inputs(random: Random, n: number, model: string): unknown {
  const customer = random.below(customers);
  const incident = n % incidents === 5 ? ` ${incidentWord(n)} ` : ' ';
  return {
    model,
    temperature: random.below(100) / 100,
    max_tokens: 1024,
    customer: { id: customer, name: `customer-${customer}`, plan: random.pick(['free', 'team', 'enterprise']) },
    messages: [
      { role: 'system', content: prose(randomFrom(random.below(20)), 200) },
      { role: 'user', content: prose(random, 350) + incident + prose(random, 350) },
    ],
    tools: null,
  };
}

function output(random: Random, model: string): unknown {
  return {
    id: `chatcmpl-${hex(random, 24)}`,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: prose(random, 500) } }],
    score: random.below(1_000_000) / 1_000_000,
  };
}

function summary(model: string, prompt: number, completion: number, isFailed: boolean): unknown {
  const usage = {
    requests: 1,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  return { usage: { [model]: usage }, status_counts: { success: Number(!isFailed), error: Number(isFailed) } };
}

/** A UUIDv7 of this time. */
function callId(n: number, startedAt: number): string {
  const random = randomFrom(Math.floor(n * 2) + 1);
  const time = Math.floor(startedAt / 1000)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`;
}

function hex(random: Random, length: number): string {
  let text = '';
  while (text.length < length)
    text += random
      .below(2 ** 24)
      .toString(16)
      .padStart(6, '0');
  return text.slice(0, length);
}
