import { type CallEvent, CallReader, NotACall } from './call-reader.ts';
import type { OutputDelta, OutputParser } from './deltas.ts';
import { findMarker, startedMarkerLength } from './marker-search.ts';
import type { Tool } from './tool.ts';
import type { JsonToolFormat } from './tool-format.ts';

export type ToolCallOptions = {
  /** Only these are calls in an answer that does not mark them; every name is a call after a mark. */
  tools: readonly Tool[];
  /** If false, only the first call counts. */
  parallel: boolean;
};

/**
 * Separates calls from content. Text that only looks like a call is content including its marks. A call counts from its
 * first argument on: if it is cut or turns out not to be JSON, the valid part is kept, because streams have already
 * sent it. After a call, the start of another one that is cut by the end of the answer is dropped.
 */
export class ToolCallParser implements OutputParser {
  readonly #format: JsonToolFormat;
  readonly #options: ToolCallOptions;
  #state: 'start' | 'content' | 'calls';
  /** Text that is not decided yet. */
  #held = '';
  /**
   * In calls: the mark that opened them with the space before it, and the text consumed since the last complete call.
   */
  #mark = '';
  #taken = '';
  #isList = false;
  #callsHere = 0;
  #callsSent = 0;
  #reader: CallReader | null = null;
  #events: CallEvent[] = [];
  #hasSent = false;
  #hasFaultyCall = false;
  /** Only calls since the last one. */
  #followsCall = false;

  constructor(format: JsonToolFormat, options: ToolCallOptions) {
    this.#format = format;
    this.#options = options;
    this.#state = format.mayStartBare ? 'start' : 'content';
  }

  /** A call was cut or is not JSON. */
  get hasUnendedCall(): boolean {
    return this.#hasFaultyCall || (this.#reader !== null && this.#hasSent);
  }

  push(text: string): OutputDelta[] {
    this.#held += text;
    const deltas: OutputDelta[] = [];
    while (this.#advance(deltas));
    return deltas;
  }

  end(): OutputDelta[] {
    const deltas: OutputDelta[] = [];
    if (this.#state === 'calls') {
      if (this.#callsSent > 0 || (this.#reader && this.#hasSent)) this.#held = '';
      else this.#giveUp(deltas);
    }
    while (this.#advance(deltas));
    const isSpace = this.#held.trim() === '';
    const isLeftOut = this.#followsCall || (this.#callsSent > 0 && isSpace);
    if (this.#held !== '' && !isLeftOut) deltas.push(content(this.#held));
    this.#held = '';
    return deltas;
  }

  /** One step of reading the held text; returns false if it needs more text. */
  #advance(deltas: OutputDelta[]): boolean {
    if (this.#held === '') return false;
    if (this.#state === 'start') return this.#start();
    if (this.#state === 'content') return this.#content(deltas);
    try {
      return this.#reader ? this.#readOn(this.#reader, deltas) : this.#betweenCalls();
    } catch (error) {
      if (error instanceof NotACall && this.#hasSent) this.#leaveFaultyCall(error.rest);
      else this.#giveUp(deltas);
      return true;
    }
  }

  /** For an answer that may consist of calls without marks: decided by its first visible characters. */
  #start(): boolean {
    const visible = this.#held.trimStart();
    if (visible === '' || isPartOf(visible, this.#format.open)) return false;
    if (visible.startsWith('{')) this.#open('', this.#held);
    else this.#state = 'content';
    return true;
  }

  /** Passes on content up to a mark, or up to where one may start. Space before a mark belongs to the mark. */
  #content(deltas: OutputDelta[]): boolean {
    const found = findMarker(this.#held, [this.#format.open]);
    const safe = found ? found.at : this.#held.length - startedMarkerLength(this.#held, [this.#format.open]);
    const shown = this.#held.slice(0, safe).trimEnd();
    if (shown !== '') {
      deltas.push(content(shown));
      this.#followsCall = false;
    }
    if (found) {
      const end = found.at + found.marker.length;
      this.#open(this.#held.slice(shown.length, end), this.#held.slice(end));
    }
    if (!found) this.#held = this.#held.slice(shown.length);
    return found !== null;
  }

  #open(mark: string, rest: string): void {
    this.#state = 'calls';
    this.#mark = mark;
    this.#taken = '';
    this.#isList = false;
    this.#callsHere = 0;
    this.#held = rest;
  }

  /** Finds the start of the next call, or that there is none. */
  #betweenCalls(): boolean {
    const { open, close, separators } = this.#format;
    const skipped = separators.exec(this.#held)![0].length;
    const rest = this.#held.slice(skipped);
    if (rest === '' || isPartOf(rest, open) || (close !== null && isPartOf(rest, close))) return false;
    const isAtMark = this.#callsHere === 0 && this.#taken.trim() === '';
    if (rest.startsWith(open)) this.#open(open, rest.slice(open.length));
    else if (close !== null && rest.startsWith(close) && this.#callsHere > 0) this.#leave(rest.slice(close.length));
    else if (rest.startsWith('{')) this.#begin(skipped, new CallReader());
    else if (rest.startsWith('[') && isAtMark && this.#mark !== '') this.#takeBracket(skipped, true);
    else if (rest.startsWith(']') && this.#isList) this.#takeBracket(skipped, false);
    else if (this.#format.name === 'mistral' && isAtMark) return this.#namedCall(rest, skipped);
    else if (this.#callsHere === 0) throw new Error('there is no call here');
    else this.#leave(this.#held);
    return true;
  }

  #takeBracket(skipped: number, opens: boolean): void {
    this.#isList = opens;
    this.#take(skipped + 1);
  }

  /** `name{…}`, `name[ARGS]{…}` and `name[CALL_ID]id[ARGS]{…}`: only the arguments are JSON. */
  #namedCall(rest: string, skipped: number): boolean {
    const opened = /^([\w.-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=\{)/.exec(rest);
    if (opened) this.#begin(skipped + opened[0].length, new CallReader(opened[1]!));
    else if (rest.length > 256 || !/^[\w.[\]-]+\s*$/.test(rest)) throw new Error('there is no call here');
    return opened !== null;
  }

  #begin(skipped: number, reader: CallReader): void {
    this.#take(skipped);
    this.#reader = reader;
    this.#events = [];
    this.#hasSent = false;
  }

  #take(length: number): void {
    this.#taken += this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
  }

  #readOn(reader: CallReader, deltas: OutputDelta[]): boolean {
    const text = this.#held;
    this.#take(text.length);
    let rest: string;
    try {
      rest = reader.push(text, this.#events);
    } catch (error) {
      this.#send(deltas); // the valid part before the error
      throw error;
    }
    this.#send(deltas);
    if (!reader.isDone) return false;
    this.#held = rest;
    this.#taken = '';
    this.#reader = null;
    this.#hasSent = false;
    this.#callsHere++;
    if (this.#options.parallel || this.#callsSent === 0) this.#callsSent++;
    return true;
  }

  /** @throws if the call is of an unknown tool and nothing else marks it as a call */
  #send(deltas: OutputDelta[]): void {
    const begun = this.#events.find((event) => event.kind === 'begin');
    if (begun && this.#mark === '' && !this.#options.tools.some(({ function: { name } }) => name === begun.name)) {
      throw new Error('no tool has this name');
    }
    const isLeftOut = this.#callsSent > 0 && !this.#options.parallel;
    const index = this.#callsSent;
    for (const event of isLeftOut ? [] : this.#events) {
      if (event.kind === 'begin') {
        deltas.push({ kind: 'tool_call', index, id: this.#format.makeId(), name: event.name, arguments: '' });
      } else deltas.push({ kind: 'tool_call', index, arguments: event.text });
      this.#hasSent = true;
    }
    this.#events = [];
  }

  /** The part of a call that was sent is kept, and the text after its error is content. */
  #leaveFaultyCall(rest: string): void {
    this.#hasFaultyCall = true;
    this.#callsSent++;
    this.#hasSent = false;
    this.#reader = null;
    this.#callsHere++;
    this.#leave(rest);
    this.#followsCall = false;
  }

  #leave(rest: string): void {
    this.#state = 'content';
    this.#followsCall = this.#callsHere > 0;
    this.#held = rest;
  }

  /** The text is not a call after all: its mark is content, and the text after it is read again. */
  #giveUp(deltas: OutputDelta[]): void {
    const isBetween = this.#reader === null && this.#callsHere > 0;
    const text = (isBetween ? '' : this.#taken) + this.#held;
    this.#reader = null;
    this.#leave(text);
    if (this.#callsHere === 0 && this.#mark !== '') deltas.push(content(this.#mark));
  }
}

/** Whether the text is a proper prefix of a marker. */
function isPartOf(text: string, marker: string): boolean {
  return text.length < marker.length && marker.startsWith(text);
}

function content(text: string): OutputDelta {
  return { kind: 'content', text };
}
