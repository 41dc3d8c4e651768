import { isCallId } from '../../domain/calls/ids.ts';

/** The location of a stored response: its call and the internal id of the project. */
export type ResponsePlace = { callId: string; projectId: string };

/** The id of a response contains its location, so that it can be found without naming the project. */
export function responseId({ callId, projectId }: ResponsePlace): string {
  return `resp_${placeText(callId, projectId)}`;
}

/**
 * The id of an item contains the response it belongs to. `place` is `0`, `1`, … in the output, `i0`, `i1`, … in the
 * input.
 */
export function itemId(prefix: string, response: string, place: string): string {
  return `${prefix}_${response.slice('resp_'.length)}_${place}`;
}

/** @returns null for a string of another form */
export function parseResponseId(text: string): ResponsePlace | null {
  const [, place] = /^resp_([0-9A-Za-z+=-]{33,200})$/.exec(text) ?? [];
  return place === undefined ? null : parsePlace(place);
}

export type ItemPlace = ResponsePlace & { responseId: string; kind: 'input' | 'output'; index: number };

/** @returns null for a string of another form */
export function parseItemId(text: string): ItemPlace | null {
  const [, place, kind, digits] = /^[a-z]+_([0-9A-Za-z+=-]{33,200})_(i?)(\d{1,6})$/.exec(text) ?? [];
  const found = place === undefined ? null : parsePlace(place);
  if (found === null) return null;
  return { ...found, responseId: `resp_${place}`, kind: kind === 'i' ? 'input' : 'output', index: Number(digits) };
}

/** A project's id is base64, whose slash a path cannot have. */
function placeText(callId: string, projectId: string): string {
  return callId.replaceAll('-', '') + projectId.replaceAll('/', '-');
}

function parsePlace(place: string): ResponsePlace | null {
  const hex = place.slice(0, 32);
  const callId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return isCallId(callId) ? { callId, projectId: place.slice(32).replaceAll('-', '/') } : null;
}
