// Fine-tunes with the official OpenAI SDK, in the version that comes with the tracing SDK.
import assert from 'node:assert/strict';
import { createReadStream, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';

const OpenAI = createRequire(import.meta.resolve('weave'))('openai');
const client = new OpenAI({
  baseURL: `${process.env.WF_TRACE_SERVER_URL}/v1`,
  apiKey: process.env.WANDB_API_KEY,
  maxRetries: 0,
});

const question = { role: 'user', content: 'What is your name?' };
const line = JSON.stringify({ messages: [question, { role: 'assistant', content: 'I am Ada.' }] });
writeFileSync('train.jsonl', `${line}\n`.repeat(6));
const expires_after = { anchor: 'created_at', seconds: 3600 };
const file = await client.files.create({ file: createReadStream('train.jsonl'), purpose: 'fine-tune', expires_after });
assert.deepEqual(
  [file.filename, file.bytes, file.expires_at - file.created_at],
  ['train.jsonl', 6 * (line.length + 1), 3600],
);

let job = await client.fineTuning.jobs.create({
  model: 'heddle/tiny',
  training_file: file.id,
  hyperparameters: { n_epochs: 3, batch_size: 2, learning_rate_multiplier: 6 },
});
while (!['succeeded', 'failed', 'cancelled'].includes(job.status)) {
  await setTimeout(100);
  job = await client.fineTuning.jobs.retrieve(job.id);
}
assert.equal(job.status, 'succeeded', JSON.stringify(job.error));
const chat = await client.chat.completions.create({
  model: job.fine_tuned_model,
  messages: [question],
  temperature: 0,
  max_tokens: 12,
});
assert.equal(chat.choices[0].message.content, 'I am Ada.');

const messages = [];
for await (const event of client.fineTuning.jobs.listEvents(job.id, { limit: 5 })) messages.push(event.message);
assert.equal(messages.at(-1), `Created fine-tuning job: ${job.id}`);
const steps = [];
for await (const checkpoint of client.fineTuning.jobs.checkpoints.list(job.id, { limit: 2 })) {
  steps.push(checkpoint.step_number);
}
assert.deepEqual(steps, [9, 6, 3]);

const other = await client.fineTuning.jobs.create({ model: 'heddle/tiny', training_file: file.id });
assert.equal((await client.fineTuning.jobs.cancel(other.id)).status, 'cancelled');
const listed = [];
for await (const each of client.fineTuning.jobs.list({ limit: 1 })) listed.push(each.id);
assert.deepEqual(listed, [other.id, job.id]);

const results = await (await client.files.content(job.result_files[0])).text();
assert.equal((await client.models.retrieve(job.fine_tuned_model)).id, job.fine_tuned_model);
assert.equal((await client.models.del(job.fine_tuned_model)).deleted, true);
assert.equal((await client.files.del(file.id)).deleted, true);
process.stdout.write(
  `${JSON.stringify({ model: job.fine_tuned_model, lines: results.trimEnd().split('\n').length })}\n`,
);
