/** The result of one check. A problem comes with advice. */
export type Finding = { what: string; state: 'good' | 'warning' | 'wrong'; found: string; advice?: string };
