/** Reports what does not go on in time. */
export type StallWatch = {
  /** The next event is expected within this time from now. */
  expectWithin(ms: number): void;
  close(): void;
};

export function openStallWatch(onStall: (ms: number) => void): StallWatch {
  let timer: NodeJS.Timeout | undefined;
  let timerMs = 0;
  return {
    expectWithin(ms) {
      if (ms === timerMs) return void timer!.refresh();
      clearTimeout(timer);
      timerMs = ms;
      timer = setTimeout(() => onStall(ms), ms);
    },
    close: () => clearTimeout(timer),
  };
}
