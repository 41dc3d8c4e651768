import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { type LosslessObject, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { pythonDumps } from '../digest/canonical-json.ts';
import { countEmoji, nameEmoji } from './emoji.ts';
import { feedbackKind } from './feedback-kind.ts';

/** Validates a payload by the rules of its type, and adds the fields that the server computes. @throws Failure */
export function completePayload(type: string, payload: JsonText): JsonText {
  checkSize(payload.text);
  switch (feedbackKind(type).kind) {
    case 'reaction':
      return completeReaction(type, membersOf(payload));
    case 'note':
      checkNote(type, membersOf(payload));
      return payload;
    case 'annotation':
      return requireKey(type, 'value', payload);
    case 'runnable':
      return requireKey(type, 'output', payload);
    default:
      return payload;
  }
}

const charactersMax = 1_048_576;
/** The longest form of one character of minified JSON in Python's ASCII output. */
const pythonGrowth = 6;

function checkSize(text: string): void {
  if (text.length * pythonGrowth <= charactersMax) return;
  if (pythonDumps(parseLossless(text)).length > charactersMax) throw invalidInput('Feedback payload too large');
}

function completeReaction(type: string, payload: LosslessObject): JsonText {
  const emoji = textMember(type, payload, 'emoji');
  if (countEmoji(emoji) !== 1) throw invalidInput('Value of emoji key in payload must be exactly one emoji');
  for (const [key, name] of Object.entries(nameEmoji(emoji))) payload.set(key, name);
  return new JsonText(stringifyLossless(payload));
}

const noteMax = 1024;

function checkNote(type: string, payload: LosslessObject): void {
  const length = [...textMember(type, payload, 'note')].length;
  if (length === 0) throw invalid(type, 'note: String should have at least 1 character');
  if (length > noteMax) throw invalid(type, `note: String should have at most ${noteMax} characters, found ${length}`);
}

function requireKey(type: string, key: string, payload: JsonText): JsonText {
  if (!membersOf(payload).has(key)) throw invalid(type, `${key}: Field required`);
  return payload;
}

function textMember(type: string, payload: LosslessObject, key: string): string {
  const value = payload.get(key);
  if (value === undefined) throw invalid(type, `${key}: Field required`);
  if (typeof value !== 'string') throw invalid(type, `${key}: Input should be a valid string`);
  return value;
}

function membersOf(payload: JsonText): LosslessObject {
  return parseLossless(payload.text) as LosslessObject; // the contract only accepts objects
}

function invalid(type: string, fault: string) {
  return invalidInput(`Invalid payload for feedback_type ${type}: ${fault}`);
}
