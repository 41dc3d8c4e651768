import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { longestTimerMs } from '../../util/longest-timer.ts';

/** Parameters that heddle itself reads; all others are passed to the model. */
const ours = [
  'model',
  'messages',
  'timeout',
  'stream',
  'extra_headers',
  'api_version',
  'prompt',
  'template_vars',
  'vertex_credentials',
] as const;

type Parameters = Omit<CompletionInputs, (typeof ours)[number]>;

/** The parameters that are set and passed to the model. */
export function modelParameters(inputs: CompletionInputs): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(inputs)) {
    const isSet = value !== null && !(value instanceof JsonText && value.kind === 'null');
    if (isSet && !ours.some((each) => each === name)) parameters[name] = value;
  }
  return { ...parameters, ...seedOf(inputs) };
}

/** Strings of digits become numbers again. */
function seedOf({ seed }: Pick<Parameters, 'seed'>) {
  return seed === null ? {} : { seed: new JsonText(seed) };
}

/** The client's time limit; null if it has none. */
export function timeoutMsOf({ timeout }: Pick<CompletionInputs, 'timeout'>): number | null {
  const seconds = Number(timeout ?? Number.NaN);
  return seconds > 0 ? Math.min(Math.ceil(seconds * 1000), longestTimerMs) : null;
}
