/** A sweep's configuration, as far as heddle acts on it. */
export type SweepPlan = {
  method: 'grid' | 'random';
  /** The program that `wandb agent` starts; null if the agent calls a function. */
  program: string | null;
  /** The name that the configuration gives the sweep. */
  name: string | null;
  metric: { name: string; goal: 'minimize' | 'maximize' } | null;
  parameters: Parameter[];
  /** Null without a limit. */
  runsMax: number | null;
};

/** A parameter by its path: most have one key, nested parameters several. */
export type Parameter = { path: string[]; distribution: Distribution };

export type Distribution =
  | { kind: 'values'; values: unknown[]; probabilities: number[] | null }
  /** `count` values from `min`, `step` apart. */
  | { kind: 'steps'; min: number; step: number; count: number }
  | { kind: 'uniform'; min: number; max: number }
  | { kind: 'logUniform'; min: number; max: number }
  | { kind: 'normal'; mu: number; sigma: number };

/** A value of each parameter, nested by its path. */
export type Point = Record<string, unknown>;

export function pointOf(parameters: Parameter[], valueFor: (parameter: Parameter, place: number) => unknown): Point {
  const root = new Map<string, unknown>();
  for (const [place, parameter] of parameters.entries()) {
    const parents = parameter.path.slice(0, -1);
    let node = root;
    for (const key of parents) {
      if (!node.has(key)) node.set(key, new Map());
      node = node.get(key) as typeof root;
    }
    node.set(parameter.path.at(-1)!, valueFor(parameter, place));
  }
  return toObject(root);
}

/** Maps until here, since a parameter may be named as a property of every object. */
function toObject(node: Map<string, unknown>): Point {
  return Object.fromEntries([...node].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]));
}

export function valueAtStep({ min, step }: { min: number; step: number }, index: number): number {
  return Number((min + index * step).toPrecision(15)); // 0.3, not 0.30000000000000004
}
