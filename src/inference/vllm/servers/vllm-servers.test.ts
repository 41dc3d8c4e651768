import { expect, test } from 'vitest';
import { openVllmServers, type VllmAdapter, type VllmModel, type VllmServerState } from './vllm-servers.ts';

const log = { info() {}, warn() {} };

test('rejects what is not an address', async () => {
  const opening = openVllmServers({ addresses: ['vllm:8000'], apiKey: null, log });
  await expect(opening).rejects.toThrow('vllm:8000 is not an address of a vLLM server, such as http://vllm:8000.');
});

test('rejects passwords in addresses without repeating them', async () => {
  const opening = openVllmServers({ addresses: ['http://me:secret@vllm:8000'], apiKey: null, log });
  const error = await opening.catch((each) => each);
  expect(error.message).toMatch(/vllm:8000 contains a user name or a password/);
  expect(error.message).not.toMatch(/secret/);
});

test('is open without the servers', async () => {
  const servers = await openVllmServers({ addresses: ['http://127.0.0.1:9/v1'], apiKey: null, log });
  expect(servers.models()).toEqual([] satisfies VllmModel[]);
  expect(servers.states()).toMatchObject([
    { address: 'http://127.0.0.1:9', circuit: 'open', reason: 'cannot be reached (ECONNREFUSED)' },
  ] satisfies Partial<VllmServerState>[]);
  const adapter: VllmAdapter = { model: 'm', name: 'a', path: '/a' };
  await expect(servers.loadAdapter(adapter)).rejects.toMatchObject({ kind: 'unavailable' });
  await servers.close();
});
