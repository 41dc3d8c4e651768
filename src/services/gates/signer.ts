import { hkdfSync } from 'node:crypto';
import { type Envelope, publicKeyOf, sealed, signingKey } from '../../domain/gates/envelope.ts';
import { type VerdictDocument, verdictType } from '../../domain/gates/verdict.ts';
import type { SecretKey } from '../../store/secret-key.ts';

/** Signs verdicts with the key of this deployment, which its secret key gives: processes on the same stores have the same. */
export type Signer = {
  sign(document: VerdictDocument): Envelope;
  /** In PEM, and the SHA-256 of its DER. */
  publicKey(): { id: string; pem: string };
};

export function openSigner(secretKey: SecretKey): Signer {
  const key = () => signingKey(Buffer.from(hkdfSync('sha256', secretKey.ensure(), '', 'heddle gate verdicts', 32)));
  return {
    sign: (document) => sealed(verdictType, JSON.stringify(document), key()),
    publicKey: () => publicKeyOf(key()),
  };
}
