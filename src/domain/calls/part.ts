import type { EndFields, StartFields } from './call-row.ts';

/**
 * What a request contributes to a call, in any order. Times are microseconds since 1970, payloads are JSON text, and
 * the empty string means unset, as in `CallRow`.
 */
export type CallPart =
  | { kind: 'start'; start: StartFields }
  | { kind: 'end'; end: EndFields }
  | { kind: 'complete'; start: StartFields; end: EndFields }
  | { kind: 'rename'; displayName: string }
  | { kind: 'delete' }
  /** Whether the call represents a trace without a root. */
  | { kind: 'topmost'; isTopmost: boolean }
  /** Whether its tokens belong to a request that another call also reports. */
  | { kind: 'repeated'; isRepeated: boolean }
  /** The parent has another id than its child knew. */
  | { kind: 'parent'; parentId: string };
