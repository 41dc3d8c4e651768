import type { CopyState, CopyWatch } from '../../store/copies.ts';
import type { DeploymentId } from '../../store/deployment-id.ts';
import type { Kinds } from '../kinds.ts';
import { placeOf } from '../places.ts';
import { blobsMover, clickhouseMover, type Mover, postgresMover, type Surroundings } from './movers.ts';
import type { Side } from './sides.ts';

/** A part that moves. Its stores are opened when they are needed. */
export type Part = {
  part: keyof Kinds;
  name: string;
  from: string;
  to: string;
  isToDirectory: boolean;
  openSource(surroundings: Surroundings): Promise<OpenedSide>;
  openTarget(surroundings: Surroundings): Promise<OpenedSide>;
  /** Copies from the source to the target, which are open. */
  copy(state: CopyState, watch: CopyWatch): Promise<void>;
};

export type OpenedSide = {
  ids: DeploymentId | null;
  hasRows(): Promise<boolean>;
  prepare(): Promise<void>;
  rest(): Promise<void>;
  count(): Promise<Record<string, number>>;
};

/** The parts whose places differ. */
export function partsToMove(from: Side, to: Side): Part[] {
  const sides = { from, to };
  const parts = [
    partOf('clickhouse', clickhouseMover, sides),
    partOf('postgres', postgresMover, sides),
    partOf('blobs', blobsMover, sides),
  ];
  return parts.filter((part) => part.from !== part.to);
}

function partOf<Store>(part: keyof Kinds, mover: Mover<Store>, { from, to }: { from: Side; to: Side }): Part {
  const stores: { source?: Store; target?: Store } = {};
  const open = (name: keyof typeof stores, side: Side) => async (surroundings: Surroundings) => {
    const store = await mover.open(side, surroundings);
    stores[name] = store;
    return {
      ids: mover.ids(store),
      hasRows: () => mover.hasRows(store),
      prepare: () => mover.prepare(store),
      rest: () => mover.rest(store),
      count: () => mover.count(store),
    };
  };
  return {
    part,
    name: mover.name,
    from: placeOf(from.kinds[part]),
    to: placeOf(to.kinds[part]),
    isToDirectory: isOwn(to.kinds[part]),
    openSource: open('source', from),
    openTarget: open('target', to),
    copy: (state, watch) => mover.copy({ source: stores.source!, target: stores.target! }, state, watch),
  };
}

/** Whether a part is in the data directory. */
export function isOwn({ kind }: Kinds[keyof Kinds]): boolean {
  return kind === 'embedded' || kind === 'directory';
}
