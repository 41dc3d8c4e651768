import { z } from 'zod';
import { badRequest, notFound } from '../../contract/errors.ts';
import type { Model } from '../../domain/model.ts';
import type { Deps } from '../../services/deps.ts';
import { toolFormatIn } from '../../services/models/model-text.ts';
import { orderFromHub } from './from-hub.ts';
import { orderFromLocal } from './from-local.ts';
import type { Watch } from './progress.ts';
import { pull } from './pull.ts';
import { isAdapterFolder, pullAdapter } from './pull-adapter.ts';

const hubPlace = z.object({
  kind: z.literal('hub'),
  repository: z.string(),
  revision: z.string(),
  endpoint: z.string(),
  token: z.string(),
});
const localPlace = z.object({ kind: z.literal('local'), path: z.string() });

export const pullParams = z.object({
  place: z.discriminatedUnion('kind', [hubPlace, localPlace]),
  file: z.string().optional(),
  quantisation: z.string().optional(),
  name: z.string().optional(),
  /** The base model of an adapter. */
  base: z.string().optional(),
});

type ModelDeps = Pick<Deps, 'models' | 'modelReader'>;

export async function pullModel(deps: ModelDeps, params: z.output<typeof pullParams>, watch: Watch) {
  const { place, file, quantisation, name = null, base = null } = params;
  if (place.kind === 'local' && isAdapterFolder(place.path)) {
    const { model, how } = await pullAdapter(deps, { path: place.path, name, base });
    return { ...(await modelLine(deps, model)), how };
  }
  if (base !== null) throw badRequest('--base is for adapters: folders on this machine with an adapter_config.json.');
  const wish = { file, quantisation };
  const order = place.kind === 'hub' ? orderFromHub(place, wish, name, watch) : orderFromLocal(place.path, wish, name);
  const { model, how } = await pull(deps.models, await order, watch);
  return { ...(await modelLine(deps, model)), how };
}

export async function listModels(deps: ModelDeps) {
  return Promise.all((await deps.models.list()).map((model) => modelLine(deps, model)));
}

export async function removeModel(deps: ModelDeps, name: string) {
  const { models } = deps;
  const model = await models.find(name);
  if (!model) throw notFound(`There is no model ${name}. \`heddle models\` lists the available models.`);
  if (model.source.kind === 'built in') throw badRequest(`${name} is built in and cannot be removed.`);
  if (model.source.kind === 'vllm') throw badRequest(`${name} is served by vLLM. Remove it there.`);
  const adapters = (await models.list()).filter(({ adapter }) => adapter?.base === name);
  if (adapters.length > 0) {
    const names = adapters.map((each) => each.name).join(', ');
    throw badRequest(`${name} is the base of ${names}. Remove these adapters first.`);
  }
  await models.remove(model);
  return modelLine(deps, model);
}

async function modelLine({ modelReader }: ModelDeps, model: Model) {
  const { name, source, adapter, family, parameters, contextLength, sizeBytes, weightType, memoryBytes, pulledAt } =
    model;
  // Damaged files are reported by `heddle doctor`; the model is listed nevertheless.
  const found = adapter === null ? await modelReader.chatTemplates(model).catch(() => null) : null;
  const templates = found ?? new Map<string, string>();
  return {
    name,
    source: words(source),
    base: adapter?.base ?? null,
    family,
    parameters,
    contextLength,
    sizeBytes,
    weightType,
    memoryBytes,
    chatTemplates: [...templates.keys()],
    toolFormat: toolFormatIn(templates),
    pulledAt: pulledAt.toISOString(),
  };
}

function words(source: Model['source']): string {
  switch (source.kind) {
    case 'built in':
      return 'built in';
    case 'hub':
      return `${source.repository}@${source.revision.slice(0, 8)}`;
    case 'local':
      return source.path;
    case 'vllm':
      return source.root === null ? 'vLLM' : `vLLM (${source.root})`;
    default:
      return source satisfies never;
  }
}
