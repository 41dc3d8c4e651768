import { isRefusal } from '../../../util/failures.ts';
import { ServerRefusal } from './failures.ts';
import type { HttpClient } from './http-client.ts';
import { type CompletionChunk, completionChunk } from './wire.ts';

/** What a server can do, as small requests show. */
export type Capabilities = {
  /**
   * `raw`: the model's, whatever the temperature. `processed`: those of the distribution that was sampled from. `logits`: not
   * logprobs at all. Null: none, or it cannot be said. Under structured outputs, raw ones are those of the allowed tokens.
   */
  logprobs: 'raw' | 'processed' | 'logits' | null;
  returnsTokenIds: boolean;
  structuredOutputs: boolean;
  promptLogprobs: boolean;
  /** Whether adapters can be loaded while it runs. */
  loadsAdapters: boolean;
};

/** @throws ServerLost if the server does not answer */
export async function probe(
  http: HttpClient,
  address: string,
  model: string,
  { timeoutMs, scoresPrompts, signal }: { timeoutMs: number; scoresPrompts: boolean; signal: AbortSignal },
): Promise<Capabilities> {
  /** @returns null if the server refuses it */
  async function complete(body: Record<string, unknown>): Promise<CompletionChunk['choices'][number] | null> {
    const asked = { model, prompt: prompts[0], max_tokens: 1, ...body };
    try {
      const request = { path: '/v1/completions', body: asked, timeoutMs, signal };
      return (await http.askFor(address, request, completionChunk)).choices[0] ?? null;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  async function logprobs(): Promise<Capabilities['logprobs']> {
    for (const prompt of prompts) {
      const found: number[] = [];
      for (const temperature of [0.5, 2]) {
        const choice = await complete({ prompt, temperature, logprobs: 1 });
        const best = Math.max(...Object.values(choice?.logprobs?.top_logprobs?.[0] ?? {}));
        if (!Number.isFinite(best)) return null;
        found.push(best);
      }
      const kind = kindOf(found[0]!, found[1]!);
      if (kind !== null) return kind;
    }
    return null;
  }

  async function loadsAdapters(): Promise<boolean> {
    const body = { lora_name: '', lora_path: '' };
    try {
      await http.ask(address, { path: '/v1/load_lora_adapter', body, timeoutMs, signal });
      return true;
    } catch (error) {
      if (error instanceof ServerRefusal) return error.status === 400 || error.status === 422;
      throw error;
    }
  }

  const withIds = await complete({ return_token_ids: true });
  const constrained = await complete({ structured_outputs: { choice: ['yes'] }, max_tokens: 8, temperature: 0 });
  const withPrompt = scoresPrompts ? await complete({ prompt_logprobs: 0 }) : null;
  return {
    logprobs: await logprobs(),
    returnsTokenIds: withIds?.token_ids?.length === 1 && withIds.prompt_token_ids?.length === prompts[0]!.length,
    structuredOutputs: constrained?.text === 'yes',
    promptLogprobs: withPrompt?.prompt_logprobs?.length === prompts[0]!.length,
    loadsAdapters: await loadsAdapters(),
  };
}

/** Each model has tokens with these ids, and is less sure of what follows some of them. */
const prompts = [
  [1, 2, 3],
  [3, 4, 5, 6, 7],
  [9, 8],
];

/** From the most likely token at a low and at a high temperature. Null if it is nearly certain at both. */
function kindOf(low: number, high: number): Capabilities['logprobs'] {
  if (low > 1e-3 || high > 1e-3) return 'logits';
  const isSame = Math.abs(low - high) <= Math.max(0.01, 0.05 * Math.abs(low)); // batches change the last digits
  if (isSame && low > -0.02) return null;
  return isSame ? 'raw' : 'processed';
}

/** What all of them can do. */
export function common(all: readonly Capabilities[]): Capabilities {
  const [first] = all;
  const each = (name: Exclude<keyof Capabilities, 'logprobs'>) => all.length > 0 && all.every((one) => one[name]);
  return {
    logprobs: first && all.every(({ logprobs }) => logprobs === first.logprobs) ? first.logprobs : null,
    returnsTokenIds: each('returnsTokenIds'),
    structuredOutputs: each('structuredOutputs'),
    promptLogprobs: each('promptLogprobs'),
    loadsAdapters: each('loadsAdapters'),
  };
}
