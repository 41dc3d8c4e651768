import { describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the lineage of a call', () => {
  const web = browserForFile(async () => ({ HEDDLE_CHAT_BATCH_INVARIANT: 'true' }));

  /** @returns the id of its call */
  async function say(model: string, content: string): Promise<string> {
    const { server, project } = web;
    const calls = async () => (await server.post('/calls/stream_query', { project_id: project })).lines as any[];
    const body = { model, messages: [{ role: 'user', content }], max_tokens: 8, user: `${model} ${content}` };
    const headers = {
      ...{ authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      'X-Heddle-Project': project,
    };
    const sent = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(sent.status).toBe(200);
    const mine = async () => (await calls()).find(({ inputs }) => inputs?.user === body.user)?.id;
    await expect.poll(mine, { timeout: 20_000 }).toBeDefined();
    return mine();
  }

  async function train(chosen: string[]): Promise<void> {
    const { server, project } = web;
    const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny', chosen };
    const { id } = (await server.post('/calls/train_sft', wanted)).json;
    const status = async () => (await server.get(`/v1/preview/training-jobs/${id}`)).json.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ended');
  }

  test('leads from an answer to its checkpoint, the job, its calls, their scores and the step before, and forward again', async () => {
    const { server, project, page, open } = web;
    const learned: string[] = [];
    for (let n = 1; n <= 12; n++) learned.push(await say('heddle/tiny', `Question ${n}`));
    const ref = `weave:///${project}/call/${learned[0]}`;
    const scored = {
      project_id: project,
      weave_ref: ref,
      feedback_type: 'wandb.note.1',
      payload: { note: 'Well said' },
    };
    await server.post('/feedback/create', scored);
    await train(learned);
    await train(learned.slice(0, 1));
    const answer = await say(`wandb-artifact:///${project}/agent`, 'Hello');

    await open(`calls/${answer}?tab=lineage`);
    const origin = page.getByRole('region', { name: 'Where it comes from' });
    await origin.getByText('Checkpoint of step 2 of agent').waitFor();
    await origin.getByText('Well said').waitFor();
    await origin.getByRole('button', { name: 'It continued from step 1 of agent' }).click();
    await origin.getByText('Checkpoint of step 1 of agent').waitFor();
    await origin.getByRole('button', { name: 'More calls' }).click();
    await expect.poll(() => origin.getByText('weight 1.00').count()).toBe(13);
    await origin.getByRole('button', { name: 'Verify' }).click();
    await origin.getByText('identical', { exact: true }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    if (process.env.HEDDLE_SCREENSHOT) await page.screenshot({ path: process.env.HEDDLE_SCREENSHOT, fullPage: true });

    await origin.getByRole('link', { name: 'heddle.chat.completions' }).first().click();
    const forward = page.getByRole('region', { name: 'What was trained on it' });
    await forward.getByText('Checkpoint of step 2: 1 answer').waitFor();
    expect(await forward.getByRole('link', { name: 'heddle.chat.completions' }).count()).toBe(1);
  });

  test('says that a call without an answer of a served model has no lineage', async () => {
    const { server, project, page, open } = web;
    const id = crypto.randomUUID();
    const times = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' };
    const call = {
      project_id: project,
      id,
      trace_id: id,
      op_name: 'op',
      ...times,
      attributes: {},
      inputs: {},
      summary: {},
    };
    await server.post(`/v2/${project}/calls/complete`, { batch: [{ ...call, output: null }] });
    await open(`calls/${id}?tab=lineage`);
    await page.getByText('No lineage').waitFor();
  });
});
