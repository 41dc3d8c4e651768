import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** A signed statement: DSSE, https://github.com/secure-systems-lab/dsse/blob/master/protocol.md. */
export type Envelope = {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
};

/** An Ed25519 key made from 32 random bytes. */
export function signingKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
}

/** RFC 8410: what precedes the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The public key in PEM, and its id: the SHA-256 of its DER. */
export function publicKeyOf(key: KeyObject): { id: string; pem: string } {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    id: createHash('sha256').update(der).digest('hex'),
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

export function sealed(payloadType: string, text: string, key: KeyObject): Envelope {
  const payload = Buffer.from(text);
  const sig = sign(null, signedBytes(payloadType, payload), key).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: publicKeyOf(key).id, sig }] };
}

/** The text of an envelope that this key has signed; null if it has not. */
export function textSignedBy(publicKey: KeyObject, { payloadType, payload, signatures }: Envelope): string | null {
  const bytes = Buffer.from(payload, 'base64');
  const signed = signedBytes(payloadType, bytes);
  const isSigned = signatures.some(({ sig }) => verify(null, signed, publicKey, Buffer.from(sig, 'base64')));
  return isSigned ? bytes.toString() : null;
}

/** DSSE's pre-authentication encoding: the type is signed too. */
function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
