/** The adapter of a sequence. Sequences of the base model alone have null. */
export type AdapterId = string & { readonly brand: 'AdapterId' };
