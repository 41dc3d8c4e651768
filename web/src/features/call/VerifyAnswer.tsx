import { useMutation } from '@tanstack/react-query';
import { askLines } from '../../api/client.ts';
import type { AnswerOf } from '../../api/contract.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { notifyError } from '../../ui/Toasts.tsx';
import { useProject } from '../use-project.ts';

type Verified = AnswerOf<'POST /v2/{entity}/{project}/lineage/verify'>;

/** Computes a recorded answer again, and shows what came out. */
export function VerifyAnswer({ callId }: { callId: string }) {
  const project = useProject();
  const { mutate, data, isPending } = useMutation({
    mutationFn: () =>
      askLines('POST /v2/{entity}/{project}/lineage/verify', { params: project, body: { call_ids: [callId] } }),
    onError: notifyError,
  });
  const verified = data?.[0];
  if (!verified) {
    return (
      <Button disabled={isPending} onClick={() => mutate()}>
        Verify
      </Button>
    );
  }
  return (
    <>
      <Badge tone={tones[verified.result]}>{verified.result}</Badge>
      <span>{explained(verified)}</span>
    </>
  );
}

const tones = { identical: 'success', consistent: 'success', different: 'error', cannot: 'warning' } as const;

function explained({ result, tokens, logprob_difference: far, first_difference: place, message }: Verified): string {
  if (result === 'cannot') return `It cannot be verified. ${message}`;
  const where = place === null ? '' : `; token ${Number(place.token) + 1} is the first that differs`;
  const logprobs = Number(far) === 0 ? 'the same logprobs' : `logprobs within ${Number(far).toExponential(1)}`;
  return `${tokens} tokens, ${logprobs}${where}.${message === null ? '' : ` ${message}`}`;
}
