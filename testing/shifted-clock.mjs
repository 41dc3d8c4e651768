// Shifts the clock of a process by `ms` of the address of this module, for tests: node --import file:///…/shifted-clock.mjs?ms=5000
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const Unshifted = Date;

globalThis.Date = class Shifted extends Unshifted {
  constructor(...given) {
    if (given.length === 0) super(Unshifted.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return Unshifted.now() + shiftMs;
  }
};
