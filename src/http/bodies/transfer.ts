import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type ErrorData, throwErrorData } from '../../util/error-data.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { type KeepTree, keepBelow } from '../../util/json/parse.ts';
import { type Cutting, cutToPieces, insertPiece } from '../../util/pieces.ts';
import { openTurn } from '../../util/turns.ts';

/**
 * What a worker answers. Threads exchange data, not classes: `fromWorker` makes texts and errors whole again. Reading a
 * message takes the reader's time, so that a large value comes in pieces, which wait in a port of their own.
 */
export type WorkerAnswer = { value: unknown; pieces: number } | { failure: ErrorData };

/** Sends a value, its pieces first. */
export function sendValue(value: unknown, port: MessagePort): WorkerAnswer {
  const { rest, cuttings } = cutToPieces(value);
  for (const cutting of cuttings) port.postMessage(cutting);
  return { value: rest, pieces: cuttings.length };
}

/** The value a worker made, put together in turns; throws what it threw. */
export async function fromWorker(
  answer: WorkerAnswer,
  port: MessagePort,
  kept: KeepTree | undefined,
): Promise<unknown> {
  if ('failure' in answer) return throwErrorData(answer.failure);
  const value = withTexts(answer.value, kept);
  const turn = openTurn();
  for (let i = 0; i < answer.pieces; i++) {
    if (turn.isOver()) await turn.next();
    const { message } = receiveMessageOnPort(port) as { message: Cutting };
    insertPiece(value, pieceWithTexts(message, kept));
  }
  return value;
}

function pieceWithTexts(piece: Cutting, kept: KeepTree | undefined): Cutting {
  const below = piece.path.reduce<KeepTree | undefined>(
    (tree, step) => keepBelow(tree, typeof step === 'number' ? '*' : step),
    kept,
  );
  if (below === undefined) return piece;
  if ('elements' in piece) return { ...piece, elements: withTexts(piece.elements, below) as unknown[] };
  return { ...piece, members: piece.members.map(([key, value]) => [key, withTexts(value, keepBelow(below, key))]) };
}

/** Kept texts are where the tree says; they arrive as plain objects. */
function withTexts(value: unknown, kept: KeepTree | undefined): unknown {
  if (kept === undefined || typeof value !== 'object' || value === null) return value;
  if (kept === true) return new JsonText((value as { text: string }).text);
  if (Array.isArray(value)) {
    const ofElements = kept['*'];
    return ofElements === undefined ? value : value.map((element) => withTexts(element, ofElements));
  }
  const members = value as Record<string, unknown>;
  for (const key of kept['*'] ? Object.keys(members) : Object.keys(kept)) {
    if (Object.hasOwn(members, key)) members[key] = withTexts(members[key], keepBelow(kept, key));
  }
  return members;
}
