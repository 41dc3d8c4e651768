import { detokenize } from './detokenize.ts';
import { tokenize } from './tokenize.ts';
import { tokenizerInfo } from './tokenizer-info.ts';

/** The endpoints of this group, in the order of the documentation. `api/tokenization/routes.ts` has a handler for each. */
export const tokenizationEndpoints = { tokenize, detokenize, tokenizerInfo };
