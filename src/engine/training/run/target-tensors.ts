import { Tensor } from 'onnxruntime-node';
import type { Embedding } from '../../runtime/embedding.ts';
import { targetNames } from '../graph/objective.ts';
import type { Objective } from '../objectives/objective.ts';
import { optionNames } from '../objectives/policy-options.ts';
import { targetValues } from '../objectives/target-values.ts';
import type { TrainingRun } from './group-rows.ts';

/** Maximum number of targets with logits in memory. */
const chunkMax = 256;

type Feeds = Record<string, Tensor>;

/** The targets of a run as inputs of the graph, padded to chunks of equal size. */
export function targetFeeds({ parts, layout }: TrainingRun, head: Embedding, hiddenSize: number): Feeds {
  const count = parts.reduce((sum, { targets }) => sum + targets.length, 0);
  const chunks = Math.ceil(count / chunkMax);
  const chunk = Math.ceil(count / chunks);
  const places = new BigInt64Array(chunks * chunk);
  const tokens = new Int32Array(chunks * chunk);
  let at = 0;
  for (const [i, { row }] of parts.entries()) {
    for (const [j, place] of row.targets.places.entries()) {
      places[at] = BigInt(layout.starts[i]! + place);
      tokens[at++] = row.targets.tokens[j]!;
    }
  }
  return {
    places: new Tensor('int64', places, [places.length, 1]),
    targets: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [chunks, chunk]),
    targetRows: new Tensor('float32', head.rows(tokens), [chunks, chunk, hiddenSize]),
  };
}

/** The inputs of the objective, padded to the number of targets of `targetFeeds`. */
export function objectiveFeeds({ parts }: TrainingRun, size: number, objective: Objective): Feeds {
  const feeds: Feeds = {};
  const values = parts.map(({ row, from }) => targetValues(row.targets, objective, from));
  for (const name of targetNames) {
    const all = new Float32Array(size);
    let at = 0;
    for (const each of values) {
      all.set(each[name], at);
      at += each[name].length;
    }
    feeds[`objective.${name}`] = new Tensor('float32', all, [size]);
  }
  for (const name of optionNames) {
    feeds[`objective.${name}`] = new Tensor('float32', [objective.options[name]], []);
  }
  const results = parts.flatMap(({ row, from }) => Array.from(row.targets.results, (result) => `${from} ${result}`));
  feeds['objective.results'] = members(results, size);
  return feeds;
}

/** `[groups, M]`, with `1 / √n` for the n members of a group. */
function members(groupOfTarget: string[], size: number): Tensor {
  const groups = [...Map.groupBy(groupOfTarget.keys(), (target) => groupOfTarget[target]!).values()];
  const matrix = new Float32Array(groups.length * size);
  for (const [row, targets] of groups.entries()) {
    for (const target of targets) matrix[row * size + target] = 1 / Math.sqrt(targets.length);
  }
  return new Tensor('float32', matrix, [groups.length, size]);
}
