import { createHash } from 'node:crypto';

/** A name for a run without one, as the SDKs make them: the day and two words, always the same for an id. */
export function memorableName(id: string, day: Date): string {
  const hash = createHash('sha256').update(id).digest();
  const adjective = adjectives[hash[0]! % adjectives.length];
  const noun = nouns[hash[1]! % nouns.length];
  return `eval-${day.toISOString().slice(0, 10)}-${adjective}-${noun}`;
}

const adjectives = (
  'amber ancient bold brave bright calm careful clear clever cool crisp eager early fair fast gentle golden grand green happy ' +
  'honest humble keen kind light lively lucky mellow merry modest neat noble patient plain polite proud quick quiet rapid ' +
  'sharp silent silver simple smooth steady strong sunny swift tidy warm wise young'
).split(' ');

const nouns = (
  'anchor badger beacon birch bridge brook canyon cedar cliff cloud comet coral crane delta dune eagle ember falcon fern field ' +
  'finch forest fox garden glacier grove harbor heron hill island lake lark maple meadow meteor moon oak ocean orchard otter ' +
  'owl pebble pine planet river robin sail spruce star stone stream summit valley wave willow wren'
).split(' ');
