import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Verdict } from '../statistics/gate.ts';
import { threadOrder } from '../statistics/thread-order.ts';
import { type ComparedThread, Comparison, type GateState } from './comparison.ts';
import { type Envelope, textSignedBy } from './envelope.ts';
import type { StoredPlan } from './stored-plan.ts';

/** What a verdict says of one of the two models. */
export type JudgedModel = {
  /** The version of the object that was asked, with its digest. */
  ref: string;
  /** As it was asked for. */
  name: string;
  /** The name of the model that answered. */
  model: string;
  /** Digests of weights, adapter, tokenizer and template, and the engine; null if heddle does not know them. */
  origin: Record<string, unknown> | null;
};

/** What is signed: all that is needed to compute the verdict again. */
export type VerdictDocument = {
  format: typeof verdictFormat;
  statement: typeof whatItTests;
  heddle: string;
  gate: string;
  project: string;
  suite: { name: string; dataset: string; rows: number; alpha: number; candidate: number };
  candidate: JudgedModel;
  incumbent: JudgedModel;
  /** Versions of scorers, with their digests. */
  scorers: string[];
  plan: StoredPlan;
  started_at: string;
  ended_at: string;
  verdict: Verdict;
  state: GateState;
  /** In the order of the plan. */
  threads: ComparedThread[];
};

export const verdictFormat = 'heddle.gate-verdict.1';
export const verdictType = 'application/vnd.heddle.gate-verdict+json';
export const whatItTests =
  'This tests the scores, not the truth: a scorer that favours one of the models favours it here too.';

const envelopeSchema = z.object({
  payloadType: z.literal(verdictType),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })).min(1),
});

/** Why a verdict cannot be relied on. */
type VerdictFault = 'signature' | 'order' | 'verdict';

export type Verified = { document: VerdictDocument; faults: VerdictFault[] };

/** @throws Failure if the text is not a signed verdict */
export function readEnvelope(text: string): Envelope {
  let value: unknown;
  try {
    value = parsePlain(text);
  } catch {
    throw invalidInput('The file is not a signed verdict: it is not JSON.');
  }
  const parsed = envelopeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidInput(`The file is not a signed verdict: ${describeFaults(parsed.error)}`);
}

/**
 * Checks that the key has signed the verdict, that the threads come in the order of the plan's seed, and that their differences lead to this
 * verdict. The names of the suite's threads that were not compared are not in the document, so their order is not checked.
 */
export function verifyVerdict(envelope: Envelope, publicKey: KeyObject): Verified {
  const signed = textSignedBy(publicKey, envelope);
  const text = signed ?? Buffer.from(envelope.payload, 'base64').toString();
  const document = parsePlain(text) as VerdictDocument;
  if (document?.format !== verdictFormat) {
    throw invalidInput(`The verdict has a format that this version does not read (expected ${verdictFormat}).`);
  }
  const faults: VerdictFault[] = signed === null ? ['signature'] : [];
  const names = document.threads.map(({ thread }) => thread);
  const ordered = threadOrder(names, document.plan.seed);
  if (names.some((name, i) => name !== ordered[i])) faults.push('order');
  const comparison = new Comparison(document.plan);
  for (const thread of document.threads) comparison.add(thread);
  if (JSON.stringify(comparison.verdict) !== JSON.stringify(document.verdict)) faults.push('verdict');
  return { document, faults };
}
