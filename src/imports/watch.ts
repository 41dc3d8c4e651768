/** Where an import reports its progress, and when to stop. */
export type Watch = {
  report(progress: { step: 'importing' | 'reading'; file: string; doneBytes?: number; totalBytes?: number }): void;
  signal: AbortSignal;
};
