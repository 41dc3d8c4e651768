import { readFileSync } from 'node:fs';
import type { Params } from '../admin/operations.ts';
import { invalidInput } from '../util/failures.ts';
import { isObject } from '../util/json/own-member.ts';
import { parsePlain } from '../util/json/parse.ts';
import type { Guardrail, WatchedOption } from './gate-metrics.ts';

type Request = Params<'gate.start'>['request'];

/** The options of `heddle gate start`. */
export type StartOptions = {
  project: string;
  suite?: string;
  candidate?: string;
  incumbent?: string;
  scorer: string[];
  target?: string;
  gain?: number;
  guardrail: Guardrail[];
  watch: WatchedOption[];
  plan?: string;
  rowsMax?: number;
  repeats?: number;
  seed?: string;
  prompt?: string;
  system?: string;
  candidatePrompt?: string;
  incumbentPrompt?: string;
  temperature?: number;
  maxTokens?: number;
  out?: string;
  wait: boolean;
};

/** The plan of a file, with the options in place of its fields. */
export function requestOf(options: StartOptions): Request {
  const given = options.plan === undefined ? {} : planIn(options.plan);
  const target = { ...(isObject(given.target) ? given.target : {}) } as Partial<Request['target']>;
  if (options.target !== undefined) target.metric = options.target;
  if (options.gain !== undefined) target.gain = options.gain;
  const request = {
    ...given,
    ...defined({
      ...{ suite: options.suite, candidate: options.candidate, incumbent: options.incumbent },
      ...{
        rows_max: options.rowsMax,
        repeats: options.repeats,
        seed: options.seed,
        model_params: modelParams(options),
        candidate_params: promptOf(options.candidatePrompt),
        incumbent_params: promptOf(options.incumbentPrompt),
      },
      scorers: orNone(options.scorer),
      guardrails: orNone(options.guardrail),
      watched: orNone(options.watch.map((each) => ({ ...each, metric: each.metric ?? target.metric ?? '' }))),
    }),
    target,
  };
  const missing = [
    ...['suite', 'candidate', 'incumbent'].filter((name) => !(name in request)),
    ...(target.metric === undefined ? ['target'] : []),
    ...(target.gain === undefined ? ['gain'] : []),
    ...('scorers' in request ? [] : ['scorer']),
  ];
  if (missing.length > 0)
    throw invalidInput(`Give ${missing.map((name) => `--${name}`).join(', ')}, or a --plan with it.`);
  return request as Request;
}

function planIn(file: string): Record<string, unknown> {
  let plan: unknown;
  try {
    plan = parsePlain(readText(file));
  } catch (error) {
    throw error instanceof SyntaxError ? invalidInput(`${file} is not JSON: ${error.message}`) : error;
  }
  if (!isObject(plan)) throw invalidInput(`${file} is not a JSON object.`);
  return plan;
}

/** @throws Failure */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalidInput(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function modelParams({ system, prompt, temperature, maxTokens: max_tokens }: StartOptions) {
  const messages_template = orNone([
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
  ]);
  const params = defined({ messages_template, temperature, max_tokens });
  return Object.keys(params).length === 0 ? undefined : params;
}

function promptOf(prompt: string | undefined) {
  return prompt === undefined ? undefined : { prompt };
}

function orNone<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
