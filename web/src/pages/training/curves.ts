import type { TrainingEvent } from '../../api/training.ts';
import type { StepSeries } from '../../components/chart/StepChart.tsx';

type Curve = { title: string; series: StepSeries[] };
export type Curves = { steps: number[]; main: Curve[]; others: Curve[] };

type Metrics = Record<string, unknown>;

/** What a reader looks for first: the metric of a step, its title, and what is drawn beside it. */
const mainCurves: { metric: string; title: string; beside?: { metric: string; name: string } }[] = [
  { metric: 'loss/train', title: 'Loss', beside: { metric: 'val/loss', name: 'held out' } },
  { metric: 'reward', title: 'Reward', beside: { metric: 'val/reward', name: 'held out' } },
  {
    metric: 'loss/kl_div',
    title: 'KL to the sampler',
    beside: { metric: 'loss/kl_policy_ref', name: 'to the reference' },
  },
  { metric: 'loss/entropy', title: 'Entropy' },
  { metric: 'loss/grad_norm', title: 'Gradient norm' },
  { metric: 'tokens_per_second', title: 'Tokens per second' },
];

const otherTitles: Record<string, string> = {
  accuracy: 'Share of tokens that are the first choice',
  'loss/learning_rate': 'Learning rate',
  'loss/sampler_mismatch': 'Mismatch to the sampler',
  'loss/importance_ratio_mean': 'Importance ratio, mean',
  'loss/importance_ratio_p95': 'Importance ratio, 95th percentile',
  'loss/importance_ratio_p99': 'Importance ratio, 99th percentile',
  'loss/clipped_token_fraction': 'Share of clipped tokens',
  'data/step_trainer_tokens': 'Trained tokens',
  'data/step_num_trajectories': 'Conversations',
  'data/step_num_pairs': 'Pairs',
  'preference/accuracy': 'Preference accuracy',
  'preference/margin': 'Preference margin',
  'preference/preferred_reward': 'Reward of the preferred answer',
  'preference/other_reward': 'Reward of the other answer',
  num_dropped_trajectories: 'Dropped conversations',
  num_dropped_pairs: 'Dropped pairs',
  num_dropped_prompts: 'Dropped prompts',
  num_tokens: 'Tokens',
  'usage/seconds': 'Trainer time in seconds',
  'usage/forward_tokens': 'Scored tokens, with prompts',
  'usage/trained_tokens': 'Trained tokens, with prompts',
};

/** The metrics of a job's steps. What was validated before the first step is drawn at step 0. */
export function curvesOf(events: TrainingEvent[]): Curves {
  const rows = new Map<number, Metrics>();
  let step = 0;
  for (const { type, data } of events) {
    if (type === 'gradient_step') rows.set(++step, data);
    if (type === 'validation') rows.set(step, { ...rows.get(step), ...validated(data) });
  }
  return toCurves([...rows.keys()], [...rows.values()]);
}

/** Metrics by step, such as those of a job's steps. Metrics without values are left out. */
function toCurves(steps: number[], rows: Metrics[]): Curves {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const series = (metric: string, name: string): StepSeries[] => {
    const values = rows.map((row) => numberOf(row[metric]));
    return values.some((value) => value !== null) ? [{ name, values }] : [];
  };
  const main = mainCurves.flatMap(({ metric, title, beside }) => {
    const found = [
      ...series(metric, beside ? 'training' : title),
      ...(beside ? series(beside.metric, beside.name) : []),
    ];
    return found.length === 0 ? [] : [{ title, series: found }];
  });
  const drawn = new Set(mainCurves.flatMap(({ metric, beside }) => [metric, beside?.metric]));
  const others = [...names].flatMap((name) => {
    const title = otherTitles[name] ?? name;
    const found = drawn.has(name) ? [] : series(name, title);
    return found.length === 0 ? [] : [{ title, series: found }];
  });
  return { steps, main, others };
}

/** The metrics of checkpoints, the same metric of two splits in one chart: `train/reward` and `val/reward`. */
export function curvesOfCheckpoints(checkpoints: { step: number; metrics: Record<string, number> }[]): Curves {
  const steps = checkpoints.map(({ step }) => step);
  const names = [...new Set(checkpoints.flatMap(({ metrics }) => Object.keys(metrics)))];
  const series = (metric: string, name: string): StepSeries => ({
    name,
    values: checkpoints.map(({ metrics }) => numberOf(metrics[metric])),
  });
  const curves = names.flatMap((name): Curve[] => {
    const metric = name.replace(/^train\//, '');
    if (name.startsWith('val/') && names.includes(`train/${name.slice(4)}`)) return []; // beside that of training
    if (metric === name || !names.includes(`val/${metric}`)) return [{ title: name, series: [series(name, name)] }];
    return [{ title: metric, series: [series(name, 'training'), series(`val/${metric}`, 'val')] }];
  });
  const rank = ({ title }: Curve) => (/reward$/.test(title) ? 0 : /loss$/.test(title) ? 1 : 2);
  curves.sort((one, other) => rank(one) - rank(other));
  return { steps, main: curves.slice(0, 6), others: curves.slice(6) };
}

function validated(data: Metrics): Metrics {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith('val/')));
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
