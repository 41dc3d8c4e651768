import type { inferenceHardware } from '../../contract/catalogue/hardware.ts';
import type { Handler } from '../../http/bind.ts';
import type { Catalogue } from './catalogue.ts';

export function listHardware({ hardware }: Catalogue): Handler<typeof inferenceHardware> {
  return async ({ params: { provider }, query: { model } }) => {
    const path = `/inference/${encodeURIComponent(provider)}/v2/hardware?model=${encodeURIComponent(model)}`;
    return { hardware: await hardware(provider, model, path) };
  };
}
