import { expect, test } from 'vitest';
import { isWebAddress, safeRedirectPath } from './redirect-path.ts';

test('a page of the console is gone on to', () => {
  for (const wanted of ['/', '/projects/prj_1/runs?suite=s&result=failed', '/enter', '/account#password'])
    expect(safeRedirectPath(wanted)).toBe(wanted);
});

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  '/./\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  'https://evil.example',
  'https:evil.example',
  'HTTPS://evil.example/console/',
  'javascript:alert(1)',
  'data:text/html,x',
  '@evil.example',
  'evil.example',
  '/\u0000/evil.example',
  '',
  null,
  undefined,
])('nothing leads elsewhere: %j', (wanted) => {
  expect(safeRedirectPath(wanted)).toBe('/');
});

test.each(['/%2f%2fevil.example', '/%5cevil.example', '/%09/evil.example', '/%2e%2e//evil.example'])(
  'what is encoded stays within the origin: %s',
  (wanted) => {
    const { origin } = new URL(`/console${safeRedirectPath(wanted)}`, 'https://drydock.example');
    expect(origin).toBe('https://drydock.example');
    expect(new URL(safeRedirectPath(wanted), 'https://drydock.example').origin).toBe(
      'https://drydock.example',
    );
  },
);

test('the browser is sent to web addresses only', () => {
  expect(isWebAddress('https://id.example/authorize?x=1')).toBe(true);
  expect(isWebAddress('javascript:alert(1)')).toBe(false);
  expect(isWebAddress('//id.example')).toBe(false);
});
