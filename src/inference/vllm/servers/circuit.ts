/**
 * Whether a server gets requests. `open`: none, until the next check of its health. `halfOpen`: it is healthy again, but no request has
 * succeeded yet, so it gets one at a time unless there is no other server.
 */
export type CircuitState = 'closed' | 'halfOpen' | 'open';

export type CircuitOptions = { failuresMax: number; firstMs: number; waitMsMax: number };

export class Circuit {
  readonly #options: CircuitOptions;
  readonly #now: () => number;
  readonly #random: () => number;
  #failures = 0;
  /** How often in a row it was opened. */
  #opened = 0;
  #openUntil = 0;
  #healthy = 0;
  state: CircuitState;
  reason: string | null;
  since: Date;

  /** Begins open: nothing is known of the server yet. */
  constructor(options: CircuitOptions, now: () => number = Date.now, random: () => number = Math.random) {
    this.#options = options;
    this.#now = now;
    this.#random = random;
    this.state = 'open';
    this.reason = 'is not checked yet';
    this.since = new Date(now());
  }

  /** How long an open circuit stays open, whatever the next check of the health says. */
  get waitMs(): number {
    return Math.max(this.#openUntil - this.#now(), 0);
  }

  /** A request has failed because of the server. `isDown`: no other request would succeed now. */
  failed(reason: string, isDown: boolean): void {
    this.#failures++;
    this.#healthy = 0;
    if (this.state === 'open' || isDown || this.state === 'halfOpen' || this.#failures >= this.#options.failuresMax) {
      this.#open(reason);
    }
  }

  checkFailed(reason: string, isDown: boolean): void {
    this.#healthy = 0;
    if (this.state !== 'closed' || isDown) this.#open(reason);
    else this.failed(reason, false);
  }

  checkPassed(): void {
    if (this.waitMs > 0) return;
    this.#healthy++;
    if (this.state === 'open') this.#set(this.#opened === 0 ? 'closed' : 'halfOpen', this.reason);
    else if (this.state === 'halfOpen' && this.#healthy > 1) this.#close();
  }

  /** A request was answered. */
  succeeded(): void {
    this.#failures = 0;
    if (this.state !== 'closed') this.#close();
    this.#opened = 0;
  }

  #open(reason: string): void {
    const { firstMs, waitMsMax } = this.#options;
    const grown = Math.min(firstMs * 2 ** this.#opened, waitMsMax);
    this.#openUntil = this.#now() + grown * (0.5 + this.#random() / 2);
    this.#opened++;
    this.#failures = 0;
    this.reason = reason;
    this.#set('open', reason);
  }

  #close(): void {
    this.#openUntil = 0;
    this.#failures = 0;
    this.#set('closed', null);
  }

  #set(state: CircuitState, reason: string | null): void {
    this.reason = state === 'closed' ? null : reason;
    if (state === this.state) return;
    this.state = state;
    this.since = new Date(this.#now());
  }
}
