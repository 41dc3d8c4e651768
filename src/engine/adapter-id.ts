/** Which adapter a sequence runs through; null for the base model alone. Keys and values of two adapters differ. */
export type AdapterId = string & { readonly brand: 'AdapterId' };
