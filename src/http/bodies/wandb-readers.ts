import { ApiError } from '../../contract/errors.ts';
import { ValidationError } from '../../util/failures.ts';
import { JsonSyntaxError } from '../../util/json/errors.ts';
import type { WandbParts } from '../../wandb/parts.ts';
import type { Admission } from './admission.ts';
import type { BodyPace } from './body-pace.ts';
import type { BodyParser } from './body-parser.ts';
import { bodyPieces } from './body-pieces.ts';
import { readBlocks } from './read-body.ts';

type Parts = { pace: BodyPace; admit: Admission; bodies: BodyParser };

/** Reads bodies for clients of W&B. */
export function wandbReaders({ pace, admit, bodies }: Parts): Pick<WandbParts, 'readJson' | 'bodyPieces'> {
  return {
    async readJson({ raw }, reply, { caller, shape, ...limit }) {
      const claim = admit(caller.userId, reply);
      const blocks = await readBlocks(raw, { ...limit, pace, onArrival: claim.holds });
      try {
        return (await bodies.parse(shape, blocks)) as never;
      } catch (error) {
        throw asClientError(error);
      }
    },
    bodyPieces: ({ raw }, limit) => bodyPieces(raw, { ...limit, pace }),
  };
}

/** These clients know no 422, and GraphQL clients read `errors`. */
function asClientError(error: unknown): unknown {
  const message = messageOf(error);
  return message === null ? error : new ApiError(400, message, { errors: [{ message }] });
}

function messageOf(error: unknown): string | null {
  if (error instanceof JsonSyntaxError) return `The body is not JSON: ${error.message}`;
  if (!(error instanceof ValidationError)) return null;
  const findings = error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  return `The body is invalid: ${findings.slice(0, 5).join('; ')}`;
}
