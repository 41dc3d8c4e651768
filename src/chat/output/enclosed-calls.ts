import type { OutputDelta, OutputParser } from './deltas.ts';
import { findMarker, startedMarkerLength } from './marker-search.ts';
import type { ToolCallOptions } from './tool-calls.ts';
import type { EnclosedToolFormat } from './tool-format.ts';

/**
 * Separates calls whose arguments are not JSON from content. A call is passed on when it is closed; an unclosed call,
 * or text that is not a call, is content including its marks.
 */
export class EnclosedCallParser implements OutputParser {
  readonly #format: EnclosedToolFormat;
  readonly #options: ToolCallOptions;
  #held = '';
  /**
   * How much of the held text is known to have no closing mark, so that a long call is not searched again with each
   * token.
   */
  #searched = 0;
  #calls = 0;
  hasUnendedCall = false;

  constructor(format: EnclosedToolFormat, options: ToolCallOptions) {
    this.#format = format;
    this.#options = options;
  }

  push(text: string): OutputDelta[] {
    this.#held += text;
    const deltas: OutputDelta[] = [];
    while (this.#advance(deltas));
    return deltas;
  }

  end(): OutputDelta[] {
    const rest = this.#held;
    this.#held = '';
    this.hasUnendedCall ||= rest.includes(this.#format.open);
    if (rest === '' || (this.#calls > 0 && rest.trim() === '')) return [];
    return [{ kind: 'content', text: rest }];
  }

  /** Passes on content or one call; returns false if it needs more text. */
  #advance(deltas: OutputDelta[]): boolean {
    const { open, close } = this.#format;
    const found = findMarker(this.#held, [open]);
    const safe = found ? found.at : this.#held.length - startedMarkerLength(this.#held, [open]);
    // Space before a call belongs to the call.
    const shown = this.#held.slice(0, safe).trimEnd();
    if (shown !== '') {
      deltas.push({ kind: 'content', text: shown });
      this.#held = this.#held.slice(shown.length);
      this.#searched = 0;
    }
    if (!found) return false;
    const start = this.#held.indexOf(open) + open.length;
    const end = this.#held.indexOf(close, Math.max(start, this.#searched));
    if (end === -1) {
      this.#searched = Math.max(start, this.#held.length - close.length + 1);
      return false;
    }
    const whole = this.#held.slice(0, end + close.length);
    this.#held = this.#held.slice(whole.length);
    this.#searched = 0;
    deltas.push(...this.#call(whole, whole.slice(start, end)));
    return true;
  }

  #call(whole: string, inside: string): OutputDelta[] {
    try {
      const call = this.#format.read(inside, this.#options.tools);
      if (this.#calls > 0 && !this.#options.parallel) return [];
      return [{ kind: 'tool_call', index: this.#calls++, id: this.#format.makeId(), ...call }];
    } catch {
      this.hasUnendedCall = true;
      return [{ kind: 'content', text: whole }];
    }
  }
}
