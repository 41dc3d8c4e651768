import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnswerOrigin } from '../../chat/types.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import { adapterDigest } from '../../engine/adapters/adapter-digest.ts';
import type { AdapterFiles } from '../../engine/adapters/adapter-files.ts';
import type { OpenedEngine } from './host-engine.ts';

const keptMax = 1000;

/** Where the answers of a host come from. @param tokenizer the digest of the text files; null if they are not here */
export function openOrigin({ version, weightsDigest: weights }: OpenedEngine, tokenizer: string | null) {
  const adapters = new LRUCache<AdapterId, string>({ max: keptMax });
  const templates = new LRUCache<string, string>({ max: keptMax });

  async function digestOfAdapter({ id, folder }: AdapterFiles): Promise<string> {
    const digest = adapters.get(id) ?? (await adapterDigest(folder));
    adapters.set(id, digest);
    return digest;
  }

  function digestOfTemplate(source: string): string {
    const digest = templates.get(source) ?? hash('sha256', source);
    templates.set(source, digest);
    return digest;
  }

  /** @param template the source of the chat template; null without one */
  return async (adapter: AdapterFiles | null, template: string | null): Promise<AnswerOrigin> => ({
    engine: version(),
    digests: {
      ...{ weights, tokenizer },
      adapter: adapter === null ? null : await digestOfAdapter(adapter),
      template: template === null ? null : digestOfTemplate(template),
    },
  });
}
