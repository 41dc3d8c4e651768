import { createPublicKey, type KeyObject } from 'node:crypto';
import { readEnvelope, type Verified, verifyVerdict } from '../../domain/gates/verdict.ts';
import { invalidInput } from '../../util/failures.ts';

/**
 * Verifies a signed verdict, without a server.
 * @throws Failure if one of the texts is not what it should be
 */
export function checkVerdict(envelope: string, publicKey: string): Verified {
  return verifyVerdict(readEnvelope(envelope), keyOf(publicKey));
}

function keyOf(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // the message below says what is expected
  }
  throw invalidInput('The public key is not an Ed25519 key in PEM. `heddle gate public-key` prints that of a server.');
}
