import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { invalidInput } from '../../util/failures.ts';
import { gridCount, gridSize } from './grid.ts';
import { readParameters } from './read-parameters.ts';
import type { Parameter, SweepPlan } from './sweep-plan.ts';

/** Reads the YAML of a sweep. @throws Failure for what it may not be, or what heddle does not support */
export function readSweepConfig(text: string): SweepPlan {
  if (text.length > charactersMax) throw invalidInput(`The config of a sweep can have ${charactersMax} characters.`);
  const config = configSchema.safeParse(readYaml(text));
  if (!config.success) throw invalidInput(`The config of the sweep is invalid: ${z.prettifyError(config.error)}`);
  const { method, program, name, metric, run_cap: runCap, ...rest } = config.data;
  for (const [key, what] of Object.entries(unsupported)) {
    if (rest[key] !== undefined)
      throw invalidInput(`heddle does not support ${what} (${key} in the config of a sweep).`);
  }
  const parameters = readParameters(rest.parameters);
  const runsMax = smallest(method === 'grid' ? countGrid(parameters) : null, runCap ?? null);
  return { method, program: program ?? null, name: name ?? null, metric: metric ?? null, parameters, runsMax };
}

const charactersMax = 1_000_000;

const configSchema = z.looseObject({
  method: z.enum(['grid', 'random'], {
    error: ({ input }) => `heddle supports the methods grid and random (found ${JSON.stringify(input)})`,
  }),
  program: z.string().nullish(),
  name: z.string().nullish(),
  metric: z.object({ name: z.string(), goal: z.enum(['minimize', 'maximize']).default('minimize') }).nullish(),
  run_cap: z.int32().positive().nullish(),
  parameters: z.record(z.string(), z.unknown()),
});

/** Keys whose meaning would be lost. Others, such as `command` and `description`, are for clients. */
const unsupported: Record<string, string> = {
  early_terminate: 'the early termination of runs, such as hyperband',
  controller: 'local controllers',
  scheduler: 'launch schedulers',
  job: 'jobs of launch',
  image_uri: 'images of launch',
};

function readYaml(text: string): unknown {
  try {
    return parse(text); // YAML 1.1 would read the parameter "y" as true, which PyYAML, the writer, does not
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError)) throw error; // the latter: too many aliases
    throw invalidInput(`The config of the sweep is not valid YAML: ${error.message}`);
  }
}

function countGrid(parameters: Parameter[]): number {
  const open = parameters.find(({ distribution }) => gridCount(distribution) === null);
  if (open) {
    throw invalidInput(
      `A grid needs parameters whose values can be counted: value, values, int_uniform or q_uniform (found ${open.path.join('.')}).`,
    );
  }
  const size = gridSize(parameters);
  if (size > gridMax) throw invalidInput(`A grid can have ${gridMax} points (found ${size}).`);
  return size;
}

const gridMax = 1_000_000_000;

function smallest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
