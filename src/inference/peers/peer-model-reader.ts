import type { BaseModel } from '../../domain/model.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import type { FileDigests, ModelReader, ModelSizes } from '../model-reader.ts';
import type { PeerRequest } from './messages.ts';
import { type PeerClient, PeerLost } from './peer-client.ts';
import { NoTextFiles, type TextCopies } from './text-copies.ts';

type Options = {
  own: ModelReader;
  client: PeerClient;
  copies: TextCopies;
  hasFiles(model: BaseModel): Promise<boolean>;
  others(): readonly OfferingProcess[];
};

/** Reads models whose files only other processes have there, or in a copy of what they have. */
export function openPeerModelReader({ own, client, copies, hasFiles, others }: Options): ModelReader {
  /** The other processes to ask; none if the files are here. */
  async function processesWith(model: BaseModel): Promise<OfferingProcess[]> {
    const able = others().filter(({ offer }) => offer.files.includes(model.id));
    return able.length > 0 && (await hasFiles(model)) ? [] : able;
  }

  async function read<Result>(
    request: PeerRequest & { kind: 'sizes' | 'chatTemplates' | 'fileDigests' },
    here: () => Promise<Result>,
  ): Promise<Result> {
    for (const peer of await processesWith(request.model)) {
      try {
        return (await client.ask(peer, request)) as Result;
      } catch (error) {
        if (!(error instanceof PeerLost)) throw error;
      }
    }
    return here();
  }

  return {
    sizes: (model) => read<ModelSizes>({ kind: 'sizes', model }, () => own.sizes(model)),
    chatTemplates: (model) =>
      read<ReadonlyMap<string, string>>({ kind: 'chatTemplates', model }, () => own.chatTemplates(model)),
    fileDigests: (model) => read<FileDigests>({ kind: 'fileDigests', model }, () => own.fileDigests(model)),
    async withTextFiles(model, work) {
      const processes = await processesWith(model);
      if (processes.length === 0) return own.withTextFiles(model, work);
      try {
        return await copies.use(model, processes, work);
      } catch (error) {
        if (error instanceof NoTextFiles) return own.withTextFiles(model, work); // which says what is missing
        throw error;
      }
    },
  };
}
