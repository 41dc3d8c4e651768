import { noUsage, type TrainingUsage } from '../domain/training/usage.ts';

/** Counts what a trainer does for a model in training. */
export class UsageMeter {
  #usage = noUsage;
  #running = 0;
  #startedAt = 0;

  /** So far, with the time of requests that are running. */
  get usage(): TrainingUsage {
    return { ...this.#usage, seconds: this.#usage.seconds + (this.#running > 0 ? this.#elapsed() : 0) };
  }

  /** Counts the time of a request. Requests that run at once count once. */
  async during<Result>(request: () => Promise<Result>): Promise<Result> {
    if (this.#running++ === 0) this.#startedAt = performance.now();
    try {
      return await request();
    } finally {
      if (--this.#running === 0) this.#add({ seconds: this.#elapsed() });
    }
  }

  scored(tokens: number): void {
    this.#add({ forwardTokens: tokens });
  }

  trained(tokens: number): void {
    this.#add({ trainedTokens: tokens });
  }

  stepped(): void {
    this.#add({ optimizerSteps: 1 });
  }

  #elapsed(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  #add(added: Partial<TrainingUsage>): void {
    const sum = (name: keyof TrainingUsage) => this.#usage[name] + (added[name] ?? 0);
    this.#usage = {
      seconds: sum('seconds'),
      forwardTokens: sum('forwardTokens'),
      trainedTokens: sum('trainedTokens'),
      optimizerSteps: sum('optimizerSteps'),
    };
  }
}
