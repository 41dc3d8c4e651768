import { benchProject } from './heddle.ts';
import type { Shot } from './load.ts';

/** A request to a model, answered at once. */
export function chatShot(key: string, path: string, body: object): Shot {
  return {
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-heddle-project': benchProject },
    body: Buffer.from(JSON.stringify(body)),
  };
}

export type Usage = {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
};

export function usageOf(text: string): Usage {
  return (JSON.parse(text) as { usage: Usage }).usage;
}
