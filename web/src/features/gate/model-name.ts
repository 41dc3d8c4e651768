import type { ListedGate } from '../../api/gates.ts';

type Model = Pick<ListedGate['candidate'], 'name' | 'ref'>;

/** How a gate was asked for a model, without the project of an artifact and the end of a digest. */
function modelName({ name }: Model): string {
  return name.replace(/^wandb-artifact:\/\/\/[^/]+\/[^/]+\//, '').replace(/(:\w{6})\w{20,}/g, '$1');
}

/** Models with the same name and different parameters also show the digests of their versions. */
export function modelNames({ candidate, incumbent }: { candidate: Model; incumbent: Model }) {
  const isSame = modelName(candidate) === modelName(incumbent);
  const nameOf = (model: Model) => modelName(model) + (isSame ? ` (${model.ref.split(':').at(-1)?.slice(0, 6)})` : '');
  return { candidate: nameOf(candidate), incumbent: nameOf(incumbent) };
}
