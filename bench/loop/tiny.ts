import { setTimeout as wait } from 'node:timers/promises';
import { fastRandom } from '../support/fast-random.ts';
import { benchProject, type Heddle, startHeddle } from '../support/heddle.ts';

/** What users want to hear about each thing. */
const wanted = { weather: 'maybe', prices: 'never', trains: 'always', games: 'often' } as const;
const things = Object.keys(wanted) as (keyof typeof wanted)[];
const turns = things.length;
const chatsPerTurn = 40;
const suiteRows = 240;
const measuredRows = 120;

/**
 * Loops on the built-in model at a real server. In each turn, users begin to ask about one more thing; a fifth of their ratings is wrong. True quality is
 * the share of other questions, about all things, that are answered with the word that users want to hear.
 */
export async function runOnTiny(
  loops: number,
  seed: number,
): Promise<{ rose: number; promotions: number; worse: number }> {
  const heddle = await startHeddle();
  try {
    const found = { rose: 0, promotions: 0, worse: 0 };
    for (let loop = 0; loop < loops; loop++) {
      const { qualities, promotions, worse } = await runOne(heddle, `loop-${loop}`, fastRandom(seed, 1000 + loop));
      found.promotions += promotions;
      found.worse += worse;
      if (qualities.at(-1)! > qualities[0]!) found.rose++;
      process.stdout.write(`heddle/tiny, loop ${loop + 1}: ${qualities.map((each) => each.toFixed(2)).join(', ')}\n`);
    }
    return found;
  } finally {
    await heddle.stop();
    heddle.remove();
  }
}

async function runOne(heddle: Heddle, name: string, random: () => number) {
  const project = `${benchProject.split('/')[0]}/${name}`;
  const v2 = (path: string) => `/v2/${project}/${path}`;
  const numbers = { next: 0 };
  const ask = (thing: string) =>
    `What about the ${thing} on day ${numbers.next++} of year ${1000 + Math.floor(random() * 9000)}?`;
  const questions = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const thing = things[i % things.length]!;
      return { question: ask(thing), expected: wanted[thing] };
    });
  await post(heddle, v2('datasets'), { name: 'questions', rows: questions(suiteRows) });
  await post(heddle, v2('suites'), { name: 'exam', dataset: 'questions', alpha: 0.2 });
  const traffic = { kind: 'split', shares: { now: 1 } };
  const variants = [{ name: 'now', model: 'heddle/tiny' }];
  await post(heddle, v2('policies'), { name: 'bot', variants, incumbent: 'now', traffic });
  await post(heddle, v2('loops'), { name: 'loop', ...plan });
  const others = questions(measuredRows);
  const qualities = [await quality(heddle, project, others)];
  let [promotions, worse] = [0, 0];
  for (let turn = 0; turn < turns; turn++) {
    await chats(heddle, project, things[turn]!, ask, random);
    await post(heddle, v2('loops/loop/turns'), {});
    const outcome = await ended(heddle, v2('loops/loop'));
    qualities.push(await quality(heddle, project, others));
    if (outcome === 'promoted') {
      promotions++;
      if (qualities.at(-1)! < qualities.at(-2)!) worse++;
    }
    process.stderr.write(`${name}, turn ${turn + 1}: ${outcome}\n`);
  }
  return { qualities, promotions, worse };
}

const plan = {
  chats: { where: 'op_name~chat' },
  scorer: { reward: 'feedback.[thumbs].payload.up' },
  method: { kind: 'sft', config: { learning_rate: 5e-3, batch_size: 4 }, experimental_config: { epochs: 3 } },
  ...{ model: 'agent', base_model: 'heddle/tiny', suite: 'exam' },
  gate: {
    scorers: ['contains'],
    target: { metric: 'contains', gain: 0.1 },
    model_params: { messages_template: [{ role: 'user', content: '{question}' }], temperature: 0, max_tokens: 4 },
  },
  rollout: { policy: 'bot', stages: [] },
};

/** Chats with another program, which says one of the words; users rate them, and are wrong once in five times. */
async function chats(
  heddle: Heddle,
  project: string,
  thing: keyof typeof wanted,
  ask: (thing: string) => string,
  random: () => number,
) {
  const words = Object.values(wanted);
  const rated: { id: string; up: boolean }[] = [];
  const batch = Array.from({ length: chatsPerTurn }, () => {
    const id = crypto.randomUUID();
    const content = random() < 0.6 ? wanted[thing] : words[Math.floor(random() * words.length)]!;
    const isGood = content === wanted[thing];
    rated.push({ id, up: random() < 0.2 ? !isGood : isGood });
    const now = new Date().toISOString();
    const output = { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] };
    const inputs = { model: 'another', messages: [{ role: 'user', content: ask(thing) }] };
    const call = { project_id: project, id, trace_id: id, op_name: 'chat', started_at: now, ended_at: now };
    return { ...call, attributes: {}, summary: {}, inputs, output };
  });
  await post(heddle, `/v2/${project}/calls/complete`, { batch });
  for (const { id, up } of rated) {
    const weave_ref = `weave:///${project}/call/${id}`;
    await post(heddle, '/feedback/create', {
      project_id: project,
      weave_ref,
      feedback_type: 'thumbs',
      payload: { up },
    });
  }
}

async function quality(
  heddle: Heddle,
  project: string,
  questions: { question: string; expected: string }[],
): Promise<number> {
  let good = 0;
  for (let i = 0; i < questions.length; i += 16) {
    const answers = questions.slice(i, i + 16).map(async ({ question, expected }) => {
      const body = {
        model: `policy:///${project}/bot`,
        messages: [{ role: 'user', content: question }],
        temperature: 0,
        max_tokens: 4,
      };
      const { choices } = await post(heddle, '/v1/chat/completions', body, { 'X-Heddle-Trace': 'off' });
      return choices[0].message.content.includes(expected);
    });
    good += (await Promise.all(answers)).filter(Boolean).length;
  }
  return good / questions.length;
}

async function ended(heddle: Heddle, path: string): Promise<string> {
  for (;;) {
    const answer = await fetch(heddle.address + path, { headers: { authorization: `Bearer ${heddle.key}` } });
    const { latest_turn: turn } = (await answer.json()) as {
      latest_turn: { phase: string; outcome: string; reason: string };
    };
    if (turn.outcome === 'failed') throw new Error(turn.reason);
    if (turn.phase === 'ended') return turn.outcome;
    await wait(500);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
async function post(heddle: Heddle, path: string, body: unknown, headers: Record<string, string> = {}): Promise<any> {
  const answer = await fetch(heddle.address + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${heddle.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}
