import { openDataDirectory } from '../../store/data-directory.ts';
import { notFound } from '../../util/failures.ts';
import { readMove, removeMove } from './state.ts';

/** Gives up a move that was interrupted. @returns the places that have a part of it @throws Failure if there is none */
export function cancelMove(data: string): string[] {
  if (readMove(data) === null) throw notFound(`${data} is not being moved.`); // before the directory is made
  const directory = openDataDirectory(data);
  try {
    const begun = readMove(directory.path)!;
    removeMove(directory.path);
    return Object.values(begun.parts).map(({ to }) => to);
  } finally {
    directory.close();
  }
}
