import { randomUUID } from 'node:crypto';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { type Check, expectEqual } from './ledger.ts';
import type { Writer } from './writers.ts';

/** Loads an adapter and unloads it; every other one stays. */
export const changeAdapters: Writer = async (client, _project, ledger) => {
  const name = `tuned-${randomUUID()}`;
  const served = (status: number): Check => {
    return async (reader) => expectEqual((await reader.try('GET', `/v1/models/${name}`)).status, status);
  };
  const load = () => client.ask('POST', '/v1/load_lora_adapter', { lora_name: name, lora_path: adapterFolder });
  await ledger.change([name], load, [served(200)]);
  if (name.charCodeAt(6) % 2 === 0) return;
  const unload = () => client.ask('POST', '/v1/unload_lora_adapter', { lora_name: name });
  await ledger.change([name], unload, [served(404)]);
};
