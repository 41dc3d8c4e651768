import type { Context } from '../../context.ts';
import type { gatePublicKey as endpoint } from '../../contract/gates/public-key.ts';
import type { Handler } from '../../http/bind.ts';

export function gatePublicKey({ services }: Pick<Context, 'services'>): Handler<typeof endpoint> {
  return async () => {
    const { id, pem } = services.gates.publicKey();
    return { key_id: id, public_key: pem };
  };
}
