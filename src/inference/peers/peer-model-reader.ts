import type { BaseModel } from '../../domain/model.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import type { ModelReader, ModelSizes } from '../model-reader.ts';
import { type PeerClient, PeerLost } from './peer-client.ts';

type Options = {
  own: ModelReader;
  client: PeerClient;
  hasFiles(model: BaseModel): Promise<boolean>;
  others(): readonly OfferingProcess[];
};

/** Reads models whose files only other processes have there. `withTextFiles` needs them here. */
export function openPeerModelReader({ own, client, hasFiles, others }: Options): ModelReader {
  async function read<Result>(
    model: BaseModel,
    kind: 'sizes' | 'chatTemplates',
    here: () => Promise<Result>,
  ): Promise<Result> {
    const able = others().filter(({ offer }) => offer.files.includes(model.id));
    if (able.length === 0 || (await hasFiles(model))) return here();
    for (const peer of able) {
      try {
        return (await client.ask(peer, { kind, model })) as Result;
      } catch (error) {
        if (!(error instanceof PeerLost)) throw error;
      }
    }
    return here();
  }

  return {
    sizes: (model) => read<ModelSizes>(model, 'sizes', () => own.sizes(model)),
    chatTemplates: (model) => read<ReadonlyMap<string, string>>(model, 'chatTemplates', () => own.chatTemplates(model)),
    withTextFiles: own.withTextFiles,
  };
}
