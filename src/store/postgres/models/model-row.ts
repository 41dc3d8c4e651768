import type { Insertable, Selectable } from 'kysely';
import type { Model, NewModel } from '../../../domain/model.ts';
import type { Database } from '../schema.ts';

export function toRow(id: string, model: NewModel): Insertable<Database['models']> {
  const { source } = model;
  return {
    id,
    name: model.name,
    source_kind: source.kind,
    source: source.kind === 'hub' ? source.repository : source.path,
    revision: source.kind === 'hub' ? source.revision : null,
    weights_file: model.weightsFile,
    family: model.family,
    architecture: model.architecture,
    weight_type: model.weightType,
    memory_bytes: model.memoryBytes,
    parameters: model.parameters,
    context_length: model.contextLength,
    size_bytes: model.sizeBytes,
    base_name: model.adapter?.base ?? null,
    adapter_rank: model.adapter?.rank ?? null,
    loaded_by: model.adapter?.loadedBy ?? null,
  };
}

export function fromRow(row: Selectable<Database['models']>): Model {
  return {
    id: row.id,
    name: row.name,
    source:
      row.source_kind === 'hub'
        ? { kind: 'hub', repository: row.source, revision: row.revision! } // a repository always has a commit
        : { kind: 'local', path: row.source },
    weightsFile: row.weights_file,
    family: row.family,
    architecture: row.architecture,
    weightType: row.weight_type,
    memoryBytes: row.memory_bytes,
    parameters: row.parameters,
    contextLength: row.context_length,
    sizeBytes: row.size_bytes,
    adapter: row.base_name === null ? null : { base: row.base_name, rank: row.adapter_rank!, loadedBy: row.loaded_by },
    pulledAt: row.pulled_at,
  };
}
