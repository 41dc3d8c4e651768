import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { JsonText } from '../../util/json/json-text.ts';
import { type KeepTree, keepBelow } from '../../util/json/parse.ts';
import { type Cutting, cutToPieces, insertPiece } from '../../util/pieces.ts';
import { openTurn } from '../../util/turns.ts';

/**
 * A large value as it leaves a thread. Reading a message blocks the reader, so a large value is sent in pieces that
 * wait in a separate port.
 */
export type ValueInPieces = { value: unknown; pieces: number };

/** Sends the pieces of a value. @returns the rest */
export function sendValue(value: unknown, port: MessagePort): ValueInPieces {
  const { rest, cuttings } = cutToPieces(value);
  for (const cutting of cuttings) port.postMessage(cutting);
  return { value: rest, pieces: cuttings.length };
}

/** Assembles a value in turns. Kept texts get their class back, because threads exchange data without classes. */
export async function receiveValue(
  sent: ValueInPieces,
  port: MessagePort,
  kept: KeepTree | undefined,
): Promise<unknown> {
  const value = withTexts(sent.value, kept);
  const turn = openTurn();
  for (let i = 0; i < sent.pieces; i++) {
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

/** The tree says where kept texts are; they arrive as plain objects. */
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
