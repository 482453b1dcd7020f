import { expect, test } from 'vitest';
import { FileServers, needsEnvironment, withEnvironment } from './servers.ts';

const env = { TOKEN: 's3cret', PORT: '8080', EMPTY: '' };

test.each([
  [
    { command: 'node', env: { A: '${TOKEN}' } },
    { command: 'node', env: { A: 's3cret' } },
  ],
  [
    { url: 'http://127.0.0.1:${PORT}/mcp', headers: { authorization: 'Bearer ${TOKEN}' } },
    { url: 'http://127.0.0.1:8080/mcp', headers: { authorization: 'Bearer s3cret' } },
  ],
  [
    { command: 'node', env: { A: '$${TOKEN} $TOKEN ${not a name}' } },
    { command: 'node', env: { A: '${TOKEN} $TOKEN ${not a name}' } },
  ],
])('variables are filled into %j', (server, filled) => {
  expect(withEnvironment(server, env)).toEqual({ server: filled, missing: [] });
});

test.each([
  [
    { command: 'node', env: { A: '${ABSENT}', B: '${EMPTY}', C: '${toString}' } },
    ['ABSENT', 'EMPTY', 'toString'],
  ],
  [{ url: '${SERVER_URL}' }, ['SERVER_URL']],
])('variables that %j lacks are named', (server, names) => {
  const { missing } = withEnvironment(server, env);
  expect(missing.map(({ variable }) => variable)).toEqual(names);
});

test.each([
  [{ command: 'node' }, false],
  [{ command: 'node', env: { A: '$${TOKEN}' } }, false],
  [{ command: 'node', env: { A: 'x${TOKEN}' } }, true],
  [{ url: 'http://127.0.0.1:${PORT}/mcp' }, true],
])('whether %j needs the environment: %s', (server, needs) => {
  expect(needsEnvironment(server)).toBe(needs);
});

/** Values that are shown and stored as they are take no variables, which may be secret. */
test.each([
  [{ command: '${TOKEN}' }, 'a.command'],
  [{ command: 'node', args: ['--token', '${TOKEN}'] }, 'a.args.1'],
  [{ url: 'http://127.0.0.1/mcp?key=${TOKEN}' }, 'a.url'],
  [{ url: 'http://127.0.0.1/mcp#${TOKEN}' }, 'a.url'],
  [{ url: 'http://127.0.0.1/mcp', env: { A: 'x' } }, 'a.env'],
  [{ command: 'node', headers: { a: 'x' } }, 'a.headers'],
  [{ command: 'node', url: 'http://127.0.0.1/mcp' }, 'a'],
  [{}, 'a'],
  [{ url: 'http://127.0.0.1/mcp', headers: { a: 'two\nlines' } }, 'a.headers.a'],
])('%j is refused', (server, path) => {
  const { error } = FileServers.safeParse({ a: server });
  expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
});
