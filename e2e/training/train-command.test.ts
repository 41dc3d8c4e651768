import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Heddle } from '../harness/heddle.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';

const heddle = heddleForFile();
const prompts = ['Say yes, no or maybe.', 'Choose no, maybe or yes.'];

async function chat(server: Heddle, model: string, prompt: string) {
  const messages = [{ role: 'user', content: prompt }];
  const headers = {
    authorization: `Bearer ${server.key}`,
    'content-type': 'application/json',
    'x-heddle-project': `${server.entity}/answers`,
  };
  const body = JSON.stringify({ model, messages, max_tokens: 5, temperature: 1 });
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  return ((await response.json()) as { model: string }).model;
}

test('heddle train trains on scored chats from the trace store and serves its checkpoint', async () => {
  const { server } = heddle;
  const project = `${server.entity}/answers`;
  await Promise.all(prompts.flatMap((prompt) => Array.from({ length: 8 }, () => chat(server, 'heddle/tiny', prompt))));
  const calls = await vi.waitFor(
    async () => {
      const stored = await storedCalls(server, project);
      expect(stored).toHaveLength(16);
      return stored;
    },
    { timeout: 20_000, interval: 100 },
  );
  // Four answers of each prompt are good, whatever they are.
  const places = new Map<string, number>();
  for (const { id, inputs } of calls) {
    const prompt = inputs.messages[0].content;
    const place = places.get(prompt) ?? 0;
    places.set(prompt, place + 1);
    const weave_ref = `weave:///${project}/call/${id}`;
    const feedback = { project_id: project, weave_ref, feedback_type: 'rating', payload: { good: place % 2 === 0 } };
    expect((await server.post('/feedback/create', feedback)).status).toBe(200);
  }

  const command = ['train', '--project', 'answers', '--model', 'agent', '--reward', 'rating.good'];
  const from = ['--from', 'op_name:heddle.chat.completions and model:heddle/tiny'];
  const preview = await server.command(...command, ...from, '--dry-run');
  expect(preview).toMatch(
    /^calls +16 of 16 that match\ntrajectories +16\ngroups +2\nreward +rating\.good: 0 to 1, mean 0\.5$/m,
  );
  expect(preview).toMatch(/, 0 reconstructed, 0 prompts reconstructed$/m);
  await expect(server.command(...command, ...from)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Pass --yes'),
  });
  await expect(server.command(...command, '--from', 'op_name:none', '--yes')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No call matches the filter.'),
  });

  const shown = await server.command(...command, ...from, '--learning-rate', '1e-3', '--yes');
  expect(shown).toMatch(/^gradient norm /m);
  const listed = await server.command('jobs', 'list');
  const [, ending] = /^(\w+) +ent\/answers\/agent /m.exec(listed)!;
  expect(await server.command('jobs', 'watch', ending!)).toContain(
    `served as wandb-artifact:///${project}/agent:step1`,
  );
  await expect(server.command('jobs', 'cancel', ending!)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has already ended'),
  });
  expect(listed).toMatch(/ent\/answers\/agent +rl +ended +1 /);
  const uses = await Promise.all(calls.map(({ id }) => server.post('/call/uses', { project_id: project, id })));
  const weights = uses.map(({ json }) => {
    const [{ type, split, weight }] = json.training_jobs;
    expect([type, split]).toEqual(['rl', 'train']);
    return Math.round(weight);
  });
  expect(weights.toSorted((a, b) => a - b)).toEqual([...Array(8).fill(-1), ...Array(8).fill(1)]);
  const name = `wandb-artifact:///${project}/agent`;
  expect(await chat(server, `${name}:step1`, prompts[0]!)).toBe(`${name}:step1`);
  expect(await server.command(...command, ...from, '--dry-run')).toContain('from step 1');
});

test('heddle train --sft trains on conversations from a file and the trace store, and serves its checkpoint', async () => {
  const { server } = heddle;
  const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
  const file = join(folder, 'conversations.jsonl');
  const question = { role: 'user', content: 'What is your name?' };
  const line = { messages: [question, { role: 'assistant', content: 'I am Ada.' }] };
  writeFileSync(file, `${JSON.stringify(line)}\n`.repeat(20));
  const command = ['train', '--project', 'talks', '--model', 'ada', '--sft'];
  try {
    const options = ['--hold-out', '10%', '--epochs', '2', '--learning-rate', '5e-3'];
    const preview = await server.command(...command, file, ...options, '--dry-run');
    expect(preview).toMatch(/^conversations 20, 2 held out$/m);
    expect(preview).toMatch(/^steps +18 of 2 conversations in 2 epochs, learning rate 0.005$/m);
    expect(preview).toContain('What is your name?<|im_end|>\n<|im_start|>assistant\n⟦I am Ada.<|im_end|>⟧');
    const shown = await server.command(...command, file, ...options, '--yes', '--show', '0');
    expect(shown).toMatch(/^held-out loss /m);
    for (const [content, message] of [
      [Buffer.from(JSON.stringify(line), 'utf16le'), /it looks like UTF-16\. Save it as UTF-8\.\s*$/],
      [
        JSON.stringify({ messages: [question, { role: 'wizard', content: 'A' }] }),
        /Line 1: messages\.1\.role: "wizard"/,
      ],
      [
        JSON.stringify({ messages: [question, { role: 'assistant', content: 'a '.repeat(9000) }] }),
        /nothing that can be/,
      ],
    ] as const) {
      writeFileSync(file, content);
      const refused = { code: 1, stderr: expect.stringMatching(message) };
      await expect(server.command(...command, file, '--yes')).rejects.toMatchObject(refused);
    }
    expect(await server.command('jobs', 'list')).not.toContain('failed');
  } finally {
    rmSync(folder, { recursive: true });
  }
  const project = `${server.entity}/talks`;
  const body = { model: `wandb-artifact:///${project}/ada`, messages: [question], temperature: 0, max_tokens: 20 };
  const answer = await server.post('/v1/chat/completions', body);
  expect(answer.json.choices[0].message.content).toBe('I am Ada.');

  const chats = async () => (await storedCalls(server, project)).filter((call) => call.op_name.includes('chat'));
  await vi.waitFor(async () => expect(await chats()).toHaveLength(1), { timeout: 20_000, interval: 100 });
  const found = await server.command(...command, '--from', 'op_name:heddle.chat.completions', '--dry-run');
  expect(found).toMatch(/^calls +1 match\nconversations 1\ntokens +\d+ trained/m);
  expect(found).toContain('⟦I am Ada.<|im_end|>⟧');
  await expect(server.command(...command, '--from', 'op_name:none', '--yes')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no conversation to learn from.'),
  });
});
