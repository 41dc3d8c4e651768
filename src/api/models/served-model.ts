import type { ServedModel } from '../../contract/models/model.ts';
import type { Model } from '../../store/models/model.ts';

export function toServedModel({ name, source, contextLength, pulledAt }: Model): ServedModel {
  return {
    id: name,
    object: 'model',
    created: Math.floor(pulledAt.getTime() / 1000),
    owned_by: source.kind === 'hub' ? source.repository.split('/')[0]! : source.kind === 'local' ? 'local' : 'heddle',
    root: source.kind === 'hub' ? source.repository : name,
    parent: null,
    max_model_len: contextLength,
  };
}
