import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { linearLayers } from '../../../engine/adapters/linear-layers.ts';
import { peftFiles } from '../../../engine/adapters/peft/write.ts';
import { readHuggingFaceConfig } from '../../../engine/models/safetensors/config.ts';
import type { Reduction } from '../losses/reduction.ts';
import { decodeRequest, encodeOutput } from './decode-request.ts';
import { ToyModel, vocabSize } from './toy-model.ts';

export type DoubleOptions = {
  reduction?: Reduction;
  losses?: string[];
  countsRepeatsOnce?: boolean;
  alpha?: number;
  clips?: boolean;
  decays?: boolean;
  keepsGradients?: boolean;
  /** How often a result is not there yet, by turns as a status and as an answer. */
  patience?: number;
  /** How many models it has places for. */
  modelsMax?: number;
  /** The folder of the base model. */
  folder: string;
};

type Received = { path: string; body: Record<string, unknown>; key: string | undefined };

/** A Tinker server over a toy model, whose answers can get lost. */
export async function openTinkerDouble(options: DoubleOptions) {
  const { reduction = { kind: 'sum', over: 'step' }, countsRepeatsOnce = true, keepsGradients = false } = options;
  const { modelsMax = Number.POSITIVE_INFINITY } = options;
  const { losses = ['cross_entropy', 'importance_sampling', 'ppo', 'cispo'], patience = 0 } = options;
  const obeys = { clipping: options.clips ?? true, decay: options.decays ?? true };
  const received: Received[] = [];
  let sessions = new Set<string>();
  let models = new Map<string, ToyModel>();
  let saved = new Map<string, ToyModel>();
  let futures = new Map<string, { asked: number; answer: object | Uint8Array }>();
  let sequences = new Map<string, string>();
  let left: ToyModel['parts'] = [];
  let ids = 0;
  /** For each path, how many of the next answers get lost after the request has been carried out. */
  const losing = new Map<string, number>();
  /** What requests of each path wait for. */
  const held = new Map<string, Promise<void>>();

  class Refused extends Error {
    readonly status: number;
    constructor(status: number, detail: string) {
      super(detail);
      this.status = status;
    }
  }

  function future(answer: object | Uint8Array): { request_id: string } {
    const request_id = String(++ids);
    futures.set(request_id, { asked: 0, answer });
    return { request_id };
  }

  function modelOf(id: unknown): ToyModel {
    const model = models.get(String(id));
    if (!model) throw new Refused(404, 'Model not found');
    return model;
  }

  /** Carries a request out, unless it was before. */
  function once(modelId: unknown, sequenceId: unknown, work: () => object | Uint8Array): object {
    const key = `${modelId} ${sequenceId}`;
    const before = sequences.get(key);
    if (before !== undefined && countsRepeatsOnce) return { request_id: before };
    const taken = future(work());
    sequences.set(key, taken.request_id);
    return taken;
  }

  const config = readHuggingFaceConfig(options.folder);
  const handlers: Record<string, (body: Record<string, unknown>, bytes: Buffer) => object | Uint8Array | number> = {
    create_session() {
      const session_id = `session-${++ids}`;
      sessions.add(session_id);
      return { session_id };
    },
    session_heartbeat({ session_id }) {
      if (!sessions.has(String(session_id))) throw new Refused(404, 'Session not found');
      return {};
    },
    create_model() {
      if (models.size >= modelsMax) {
        return future({ error: `Maximum number of LoRA adapters (${modelsMax}) reached`, category: 'unknown' });
      }
      const id = `model-${++ids}`;
      const model = new ToyModel();
      [model.parts, left] = [left, []];
      models.set(id, model);
      return { ...future({ model_id: id }), model_id: id };
    },
    forward_backward(_, bytes) {
      const request = decodeRequest(bytes);
      received.at(-1)!.body = request;
      const model = modelOf(request.modelId);
      if (!losses.includes(request.loss)) throw new Refused(422, `Unknown loss ${request.loss}`);
      return once(request.modelId, request.sequenceId, () => {
        const logprobs = request.data.map((datum) => model.logprobs(datum));
        if (!request.isForwardOnly) model.add(request, reduction);
        return encodeOutput(logprobs);
      });
    },
    optim_step({ model_id, seq_id, adam_params }) {
      const model = modelOf(model_id);
      return once(model_id, seq_id, () => {
        const norm = model.step(adam_params as Record<string, number>, reduction, obeys);
        return { metrics: { 'double/grad_norm': norm } };
      });
    },
    save_weights({ model_id, path }) {
      const name = `tinker://${model_id}/weights/${path}`;
      saved.set(name, structuredCloneOf(modelOf(model_id)));
      return future({ path: name });
    },
    load_weights({ model_id, path }) {
      const found = saved.get(String(path));
      if (!found) throw new Refused(404, `Checkpoint not found: ${path}`);
      modelOf(model_id);
      models.set(String(model_id), structuredCloneOf(found));
      return future({ type: 'load_weights' });
    },
    save_weights_for_sampler({ model_id, path }) {
      modelOf(model_id);
      return future({ path: `tinker://${model_id}/sampler_weights/${path}` });
    },
    unload_model({ model_id }) {
      if (keepsGradients) left = modelOf(model_id).parts;
      models.delete(String(model_id));
      return future({});
    },
    retrieve_future({ request_id }) {
      const found = futures.get(String(request_id));
      if (!found) throw new Refused(404, 'Future not found');
      if (found.asked++ >= patience) return found.answer;
      if (found.asked % 2 === 1) throw new Refused(408, 'Timeout waiting for result');
      return { type: 'try_again', request_id, queue_state: 'active' };
    },
  };

  const server = createServer(async (request, response) => {
    const path = request.url!.replace('/api/v1/', '');
    const bytes = await bodyOf(request);
    const isJson = request.headers['content-type'] === 'application/json';
    const key = request.headers['x-api-key'] as string | undefined;
    const body = isJson ? JSON.parse(bytes.toString()) : {};
    received.push({ path, body, key });
    const send = (status: number, type: string, content: Uint8Array | string, headers = {}) => {
      const lost = losing.get(path) ?? 0;
      if (lost > 0) losing.set(path, lost - 1);
      if (lost > 0) return request.socket.destroy();
      response.writeHead(status, { 'content-type': type, ...headers }).end(content);
    };
    await held.get(path);
    try {
      if (path === 'get_server_capabilities') {
        return send(200, 'application/json', JSON.stringify({ supported_models: [{ model_name: 'there/tiny' }] }));
      }
      if (request.method === 'DELETE') return send(204, 'text/plain', '');
      if (path.endsWith('/archive')) return send(302, 'text/plain', '', { location: '/files/adapter' });
      if (path === '/files/adapter') return send(200, 'application/octet-stream', archive());
      const answer = handlers[path]!(body, bytes);
      if (answer instanceof Uint8Array) return send(200, 'application/x-protobuf', answer);
      send(200, 'application/json', JSON.stringify(answer));
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500;
      send(status, 'application/json', JSON.stringify({ detail: `${(error as Error).message} (key ${key})` }));
    }
  });

  function archive(): Uint8Array {
    const modules = new Map(
      [...linearLayers(config)].map(([name, { inSize, outSize }]) => [
        name,
        { a: new Float32Array(8 * inSize).fill(0.5), b: new Float32Array(8 * outSize).fill(0.25) },
      ]),
    );
    const files = peftFiles({ rank: 8, alpha: options.alpha ?? 32, rslora: false, modules, baseModel: 'there/tiny' });
    return gzipSync(
      Buffer.concat([
        tarEntry('./adapter_config.json', Buffer.from(files.config)),
        tarEntry('./adapter_model.safetensors', Buffer.from(files.weights)),
        Buffer.alloc(1024),
      ]),
    );
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** The models that are open, the newest last. */
    models: () => [...models.values()],
    lose: (path: string, count = 1) => losing.set(path, count),
    /** Holds up requests of a path. @returns what lets them go on */
    hold(path: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return resolve;
    },
    /** As if a model had been unloaded whose gradients no step has used. */
    leaveGradients() {
      left = [{ gradient: new Map([[5, new Float64Array(vocabSize).fill(1)]]), sequences: 1, tokens: 1 }];
    },
    /** It forgets everything. */
    restart() {
      [sessions, models, saved, futures, sequences] = [new Set(), new Map(), new Map(), new Map(), new Map()];
    },
  };
}

function structuredCloneOf(model: ToyModel): ToyModel {
  const clone = new ToyModel();
  for (const [token, row] of model.rows) clone.rows.set(token, row.slice());
  return clone;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function tarEntry(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${content.length.toString(8).padStart(11, '0')} `, 124);
  header.write('0', 156);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
