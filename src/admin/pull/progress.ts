/** The progress of a long operation. */
export type Progress = {
  step: 'asking' | 'downloading' | 'copying' | 'checking' | 'importing' | 'reading' | 'writing';
  /** The file at hand. */
  file?: string;
  doneBytes?: number;
  totalBytes?: number;
};

/** What a long operation is given: where to tell how far it is, and when to stop. */
export type Watch = { report(progress: Progress): void; signal: AbortSignal };

/** Passes on what is done of some bytes, at most a few times a second. */
export function byteCounter(watch: Watch, totalBytes: number) {
  let doneBytes = 0;
  let toldAt = 0;
  return (step: Progress['step'], file: string, more: number) => {
    doneBytes += more;
    const now = performance.now();
    if (now - toldAt < 200 && doneBytes < totalBytes) return;
    toldAt = now;
    watch.report({ step, file, doneBytes, totalBytes });
  };
}
