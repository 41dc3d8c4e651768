import type { ServedModel } from '../../contract/models/model.ts';
import type { Model } from '../../domain/model.ts';
import type { TunedModel } from '../../services/fine-tuning/fine-tuning.ts';

export function toServedModel({ name, source, adapter, contextLength, pulledAt }: Model): ServedModel {
  return {
    id: name,
    object: 'model',
    created: Math.floor(pulledAt.getTime() / 1000),
    owned_by: ownerOf(source),
    root: rootOf(source, name, adapter),
    parent: adapter?.base ?? null,
    max_model_len: contextLength,
  };
}

function ownerOf(source: Model['source']): string {
  switch (source.kind) {
    case 'hub':
      return source.repository.split('/')[0]!;
    case 'built in':
      return 'heddle';
    default:
      return source.kind;
  }
}

/** As in vLLM, the root of an adapter is the folder that it was loaded from. */
function rootOf(source: Model['source'], name: string, adapter: Model['adapter']): string {
  if (source.kind === 'hub') return source.repository;
  if (source.kind === 'vllm') return source.root ?? name;
  return adapter !== null && source.kind === 'local' ? source.path : name;
}

/** A model that a fine-tuning job made over a base model, or a checkpoint of it. */
export function toFineTunedModel({ job }: TunedModel, base: Model, name = job.fineTunedModel): ServedModel {
  return {
    id: name,
    object: 'model',
    created: Math.floor((job.endedAt ?? job.createdAt).getTime() / 1000),
    owned_by: job.fineTunedModel.split(':').at(-3)!,
    root: base.name,
    parent: base.name,
    max_model_len: base.contextLength,
  };
}
