import type * as contract from '../../contract/catalogue/hardware.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import type { Catalogue } from './catalogue.ts';

export function inferenceHardware({ hardware }: Catalogue): Handler<typeof contract.inferenceHardware> {
  return async ({ params: { provider }, query: { model } }) => {
    const path = `/inference/${encodeURIComponent(provider)}/v2/hardware?model=${encodeURIComponent(model)}`;
    const entries = await hardware(provider, model, path);
    return { hardware: new JsonText(toJson(entries)) }; // those of the upstream are passed on as they are
  };
}
