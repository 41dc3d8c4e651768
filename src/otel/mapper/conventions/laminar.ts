import { attributes, type Convention } from '../convention.ts';

/** Laminar's SDK. */
export const laminar: Convention = {
  inputs: attributes('lmnr.span.input'),
  output: attributes('lmnr.span.output'),
  kind: attributes('lmnr.span.type'),
  labels: {
    user_id: attributes('lmnr.association.properties.user_id'),
    metadata: attributes('lmnr.association.properties.metadata'),
    tags: attributes('lmnr.association.properties.tags'),
  },
  threadId: attributes('lmnr.association.properties.session_id'),
};
