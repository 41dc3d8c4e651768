import { hkdfSync } from 'node:crypto';

/**
 * Connections between processes are encrypted with a key that follows from the secret key of the deployment (TLS with a
 * pre-shared key). So each side knows that the other one has the key, nothing can be read, changed or sent again by others, and no
 * clock is involved.
 */
const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  // Later versions have pre-shared keys in a form that Node does not offer.
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

const identity = 'heddle';

export function peerKey(secretKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'heddle processes', 32));
}

export function serverTls(psk: Buffer) {
  return { ...suite, pskCallback: (_: unknown, given: string) => (given === identity ? psk : null) };
}

export function clientTls(psk: Buffer) {
  // The key takes the place of a certificate.
  return { ...suite, pskCallback: () => ({ psk, identity }), checkServerIdentity: () => undefined };
}
