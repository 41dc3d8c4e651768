/** Work that is done again and again, one at a time, until it is closed. */
export type Repeated = {
  /** Does the work now, or once more if it is under way. */
  wake(): void;
  close(): Promise<void>;
};

/** @param onError called for the first of several failures in a row */
export function openRepeated(work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): Repeated {
  let working: Promise<void> | null = null;
  let isAskedAgain = false;
  let isClosed = false;
  let hasFailed = false;
  const timer = setInterval(() => {
    if (working === null) wake();
  }, everyMs).unref();

  function wake(): void {
    isAskedAgain = true;
    working ??= workWhileAsked().finally(() => {
      working = null;
    });
  }

  async function workWhileAsked(): Promise<void> {
    while (isAskedAgain && !isClosed) {
      isAskedAgain = false;
      try {
        await work();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !isClosed) onError(error);
        hasFailed = true;
      }
    }
  }

  return {
    wake,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await working;
    },
  };
}
