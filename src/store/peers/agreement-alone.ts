import type { Agreed, Agreement } from './agreement.ts';

/** The agreement of a process that is alone and needs to remember nothing: the first choice is ready at once. */
export function openAgreementAlone(): Agreement {
  let agreed: Agreed = { value: null, term: 0, isReady: false, behind: 0 };
  return {
    renew: async () => agreed,
    async choose(term, value) {
      if (term === agreed.term) agreed = { value, term: term + 1, isReady: false, behind: 0 };
    },
    async confirm(term) {
      if (term === agreed.term) agreed = { ...agreed, isReady: true };
    },
    leave: async () => {},
    leaseMs: null,
  };
}
