import { attribute, type Convention } from '../convention.ts';

/** Plain words anyone may use; asked last, since other conventions' keys begin with them too (`input.value`). */
export const generic: Convention = {
  inputs: [
    { ...attribute('input'), isWhole: true },
    { ...attribute('inputs'), isWhole: true },
  ],
  output: [
    { ...attribute('output'), isWhole: true },
    { ...attribute('outputs'), isWhole: true },
  ],
};
