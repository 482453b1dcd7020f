import fc from 'fast-check';
import { type Operation, paramNames } from '../../src/contract/operation.ts';
import { basePath } from '../../src/surfaces/http/server.ts';
import { sampleOf, schemaOf } from './body-fields.ts';
import { baseOf } from './every-operation.ts';
import { hostileTexts } from './hostile.ts';

export interface Target {
  path: string;
  /** Whether the path has no hostile part. */
  plain: boolean;
}

/** Paths that belong to no operation. */
export const strayPaths = [
  '/',
  '/api',
  basePath,
  `${basePath}/`,
  `${basePath}/nothing`,
  `${basePath}/me/too`,
  `${basePath}/api-keys`,
  `${basePath}/api-keys/key_1`,
  `${basePath}/api-keys/../me`,
  `${basePath}//me`,
  '//api/v1/me',
  '/api/v2/me',
  '/api/v1me',
  '/API/V1/ME',
  '*',
  '/%',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/__proto__',
  '/constructor',
  '/console/api',
  '/console/api/nothing',
  '/console/api/../../api/v1/me',
  '/console/%2e%2e/%2e%2e/etc/passwd',
  '/console/assets/../index.html',
];

const twists: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `${path}/x`,
  (path) => `/${path}`,
  (path) => path.replace('/v1', '/v1/.'),
  (path) => path.replace('/v1', '/v1/..'),
  (path) => path.replace('/v1', '/v1/api-keys/..'),
  (path) => path.replaceAll('/', '//'),
  (path) => path.replace('/v1/', '%2fv1%2f'),
  (path) => path.replace('/api', '/%61pi'),
  (path) => path.toUpperCase(),
  (path) => `${path};a=b`,
  (path) => `${path}#part`,
  (path) => `${path}%`,
  (path) => `${path}%00`,
  (path) => `${path}.json`,
  (path) => `${path}\\..\\x`,
  (path) => `${basePath}${path}`,
  (path) => path.slice(1),
  (path) => `http://127.0.0.1${path}`,
  (path) => `http://evil.example:1${path}`,
  (path) => `https://user:word@evil.example${path}`,
  (path) => `ftp:${path}`,
];

const escape = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};
/** The text without characters that would end the request line. */
const bare = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, '');

const hostileWords = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts).map(escape) },
  { weight: 2, arbitrary: fc.constantFrom(...hostileTexts).map(bare) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(escape) },
);

export function targetsOf(operation: Operation, cursors: readonly string[]): fc.Arbitrary<Target> {
  const whole = baseOf(operation) + operation.path;
  const path = fc.oneof(
    { weight: 12, arbitrary: fc.constant<Target>({ path: whole, plain: true }) },
    { weight: 3, arbitrary: pathsWithHostileParameters(operation) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...twists).map((twist): Target => ({ path: twist(whole), plain: false })),
    },
  );
  return fc
    .tuple(path, queriesOf(operation, cursors))
    .map(([target, query]) => ({ ...target, path: target.path + query }));
}

function pathsWithHostileParameters(operation: Operation): fc.Arbitrary<Target> {
  const names = paramNames(operation.path);
  return fc.tuple(...names.map((name) => fc.oneof(fc.constant(`{${name}}`), hostileWords))).map((words) => {
    const path = names.reduce(
      (text, name, i) => text.replace(`{${name}}`, () => words[i] ?? ''),
      operation.path,
    );
    return { path: baseOf(operation) + path, plain: path === operation.path };
  });
}

const hostileQueries = [
  '?',
  '??',
  '?&&&===&=',
  '?%',
  '?limit=%ff',
  '?limit=1&limit=2',
  '?limit[]=1&limit[a]=2',
  '?limit=1;cursor=x',
  '?__proto__[polluted]=1',
  '?__proto__=1&constructor=2&toString=3',
  '?constructor.prototype.polluted=1',
  `?${Array.from({ length: 1_000 }, (_, i) => `k${i}=${i}`).join('&')}`,
  `?${'&'.repeat(5_000)}`,
  `?${'a='.repeat(3_000)}`,
  `?${'%00'.repeat(1_000)}=${'%ff'.repeat(1_000)}`,
  `?q=${'x'.repeat(9_000)}`,
];

function queriesOf(operation: Operation, cursors: readonly string[]): fc.Arbitrary<string> {
  const root = operation.query ? schemaOf(operation.query) : {};
  const declared = Object.entries(root.properties ?? {});
  const altered = fc
    .tuple(
      fc.constantFrom(...cursors),
      fc.nat({ max: 100 }),
      fc.constantFrom('A', 'a', '0', '_', '-', '=', '.'),
    )
    .map(([cursor, at, letter]) => cursor.slice(0, at) + letter + cursor.slice(at + 1));
  const pairs = declared.map(([name, schema]) =>
    fc
      .oneof(
        { weight: 3, arbitrary: fc.constant(String(sampleOf(root, schema))) },
        { weight: 3, arbitrary: hostileWords },
        { weight: 1, arbitrary: fc.constantFrom(...cursors) },
        { weight: 1, arbitrary: altered },
      )
      .map((value) => `${name}=${value}`),
  );
  const stray = fc.tuple(hostileWords, hostileWords).map(([name, value]) => `${name}=${value}`);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    {
      weight: declared.length > 0 ? 6 : 1,
      arbitrary: fc
        .array(fc.oneof(...pairs, stray), { minLength: 1, maxLength: 3 })
        .map((parts) => `?${parts.join('&')}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(...hostileQueries) },
  );
}
