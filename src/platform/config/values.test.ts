import { expect, test } from 'vitest';
import { networks } from './values.ts';

test.each([
  ['127.0.0.1', ['127.0.0.1/32']],
  ['::1', ['::1/128']],
  ['10.1.0.0/16', ['10.1.0.0/16']],
  [' 127.0.0.1 , fd00::/8,10.0.0.7', ['127.0.0.1/32', 'fd00::/8', '10.0.0.7/32']],
])('%j is a list of networks', (text, list) => expect(networks.parse(text)).toEqual(list));

test.each([
  '',
  'proxy',
  '10.1.0.0/33',
  '::1/129',
  '10.1.0.0/16/8',
  '10.1.0.0/',
  '10.1.0.0/x',
  '10.1',
  '10.0.0.1,',
])('%j is none', (text) =>
  expect(networks.safeParse(text).error?.issues[0]?.message).toMatch(
    /^Write networks like .* or single addresses/,
  ),
);
