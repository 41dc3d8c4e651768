import type { Verification } from './verification.ts';

/** A verification as clients see it: every field is present. */
export function verificationJson({ callId, verification }: { callId: string; verification: Verification }) {
  const { result } = verification;
  const unknown = { is_promised: null, tokens: null, first_difference: null, logprob_difference: null };
  if (result === 'cannot') {
    const { reason, message, digests } = verification;
    return { call_id: callId, result, ...unknown, reason, message, digests };
  }
  const { isPromised, tokens, logprobDifference, note } = verification;
  return {
    ...{ call_id: callId, result, is_promised: isPromised, tokens },
    first_difference: result === 'identical' ? null : verification.firstDifference,
    ...{ logprob_difference: logprobDifference, reason: null, message: note, digests: [] },
  };
}

export type VerificationJson = ReturnType<typeof verificationJson>;
