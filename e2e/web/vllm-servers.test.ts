import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startVllmDouble, type VllmDouble } from '../../src/inference/vllm/servers/testing/vllm-double.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

const apiKey = 'key-of-the-vllm-servers';
const tinyFolder = join(import.meta.dirname, '../../assets/tiny-model');

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the vLLM servers on the settings page', () => {
  let up: VllmDouble;
  let down: VllmDouble;
  const web = browserForFile(async () => {
    [up, down] = [await startVllmDouble({ apiKey }), await startVllmDouble({ apiKey })];
    up.more.waiting = 1204;
    await down.stop();
    return {
      HEDDLE_VLLM_URL: `${up.url},${down.url}`,
      HEDDLE_VLLM_API_KEY: apiKey,
      HEDDLE_LOG_LEVEL: 'error', // it warns of the server that is down
      HEDDLE_VLLM_MODELS: `tiny=${tinyFolder}`,
    };
  });
  afterAll(() => up?.close());

  test('are listed with their state, and with the requests that the processes of models have sent', async () => {
    const { page, server } = web;
    const chat = (signal: AbortSignal) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'Hi' }], stream: true }),
        signal,
      });
    const leaving = new AbortController();
    up.faults.stallAfter = 1;
    const answer = await chat(leaving.signal);
    expect(answer.status).toBe(200);
    await web.open('settings?tab=server');
    const cellsOf = (address: string) =>
      page
        .getByRole('table', { name: 'vLLM servers' })
        .getByRole('row')
        .filter({ hasText: address })
        .locator('th, td')
        .allTextContents();
    await page.getByRole('table', { name: 'vLLM servers' }).waitFor();
    const [address, state, since, ...rest] = await cellsOf(up.url);
    expect([address, state, since]).toEqual([up.url, 'up', expect.stringMatching(/now|ago/)]);
    expect(rest).toEqual(['tiny', '0.32.0', 'none loaded', expect.any(String), '1,204', '1']);
    const gone = await cellsOf(down.url);
    expect(gone.slice(0, 2)).toEqual([down.url, expect.stringMatching(/^down.*ECONNREFUSED/)]);
    expect(gone.slice(3)).toEqual(['–', '–', '–', '–', '–', '0']);
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.content()).not.toContain(apiKey);
    leaving.abort();
    await answer.text().catch(() => {});
  });
});
