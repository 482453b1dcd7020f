import { expect, test } from 'vitest';
import { wordsOf } from './shell-words.ts';

test.each([
  ['npx -y some-server', ['npx', '-y', 'some-server']],
  [String.raw`node "my server.js" --name='it is' a\ b`, ['node', 'my server.js', '--name=it is', 'a b']],
  [String.raw`x "" 'a\b' "say \"hi\""`, ['x', '', String.raw`a\b`, 'say "hi"']],
  ['  ', []],
  ['echo $HOME | cat', ['echo', '$HOME', '|', 'cat']],
])('%s', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});
