/** Runs work one after the other, in the order of the calls. Work that fails does not stop the next. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function openInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
