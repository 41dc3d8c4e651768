import { expect, test } from 'vitest';
import { countEmoji, nameEmoji } from './emoji.ts';

test.each([
  ['👍', 'thumbs_up'],
  ['👍🏽', 'thumbs_up_medium_skin_tone'],
  ['❤️', 'red_heart'],
  ['❤', 'red_heart'],
  ['1️⃣', 'keycap_1'],
  ['🇺🇸', 'United_States'],
  ['🇨🇬', 'Congo-Brazzaville'],
  ['🇨🇮', 'Côte_d’Ivoire'],
  ['🏴󠁧󠁢󠁷󠁬󠁳󠁿', 'Wales'],
  ['👩🏿‍🦰', 'woman_dark_skin_tone_red_hair'],
  ['👨‍👩‍👧‍👦', 'family_man_woman_girl_boy'],
  ['🧑🏿‍❤️‍💋‍🧑🏻', 'kiss_person_person_dark_skin_tone_light_skin_tone'],
  ['🫱🏻‍🫲🏿', 'handshake_light_skin_tone_dark_skin_tone'],
  ['🏽', 'medium_skin_tone'],
])('%s is one emoji, :%s:', (emoji, name) => {
  expect(countEmoji(emoji)).toBe(1);
  expect(nameEmoji(emoji).alias).toBe(`:${name}:`);
});

test.each([
  ['👍👍', 2],
  ['😀🏽', 2], // a smiley takes no tone
  ['👍\u{200d}👍', 2],
  ['🇺🇸🇩🇪', 2],
  ['🇽🇽', 0], // no country
  ['', 0],
  ['1 # *', 0],
  ['abc é 日本', 0],
])('%j holds %i emoji', (text, count) => {
  expect(countEmoji(text)).toBe(count);
});

test('without tones two people are the one sign for both', () => {
  expect(nameEmoji('🧑🏿‍❤️‍🧑🏻')).toMatchObject({ detoned: '💑', detoned_alias: ':couple_with_heart:' });
  expect(nameEmoji('so 👋🏿!')).toEqual({
    alias: 'so :waving_hand_dark_skin_tone:!',
    detoned: 'so 👋!',
    detoned_alias: 'so :waving_hand:!',
  });
});
