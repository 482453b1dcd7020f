import { expect, test } from 'vitest';
import { createLog, forPeople, redact } from './log.ts';

test.each([
  ['Bearer abc.def', '[redacted]'],
  ['key sk_0123456789abcdef failed', 'key [redacted] failed'],
  ['postgres://ann:word@host/db', 'postgres://[redacted]@host/db'],
  ['nothing secret', 'nothing secret'],
])('%s is logged as %s', (text, shown) => {
  expect(redact(text)).toBe(shown);
});

test('an error that quotes a secret is logged without it, in message and stack', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.error('failed', { requestId: 'r' }, new Error('refused Bearer very-secret-token'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('very-secret-token');
  expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 'error', msg: 'failed', requestId: 'r' });
});

test('on a terminal a line reads like a line', () => {
  const line = '{"level":"warn","time":"2026-11-15T03:43:05.831Z","dataDir":".drydock","msg":"Careful"}\n';
  expect(forPeople(line)).toBe('03:43:05  warn  Careful  dataDir=.drydock\n');
});
