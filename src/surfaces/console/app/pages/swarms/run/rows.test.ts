import { expect, test } from 'vitest';
import type { Attempt, JourneyRun } from '../states.ts';
import { isSameRow, keyOf, rowsOf } from './rows.ts';

const attempt = (targetId: string, sessionIndex: number, fields: Partial<Attempt> = {}): Attempt => ({
  chatSessionId: null,
  hostId: 'cli_1',
  targetId,
  sessionIndex,
  status: 'pending',
  turns: 0,
  errorCode: null,
  errorMessage: null,
  ...fields,
});

/** Two targets of one client. */
const run = (attempts: Attempt[]): JourneyRun => ({
  id: 'jru_1',
  projectId: 'prj_1',
  journeyId: 'jrn_1',
  status: 'running',
  canceled: false,
  stale: false,
  summary: { total: 3, succeeded: 0, failed: 0, rateLimited: 0 },
  targets: ['env_1', 'env_2'].map((targetId) => ({ hostId: 'cli_1', targetId, environmentName: targetId })),
  attempts,
  createdAt: 0,
});

const heardOf = (...attempts: Attempt[]) =>
  new Map(attempts.map((one) => [keyOf(one), { attempt: one, verdict: undefined }]));

test('sessions stand with their target in their order, also where two targets have one client', () => {
  const rows = rowsOf(run([attempt('env_2', 1), attempt('env_1', 0), attempt('env_2', 0)]), new Map());
  expect(rows.map(({ name, cells }) => [name, cells.map(({ key }) => key)])).toEqual([
    ['env_1', ['env_1/0']],
    ['env_2', ['env_2/0', 'env_2/1']],
  ]);
});

test('a session never goes back, whichever of what was read and what was heard is older', () => {
  const ended = attempt('env_1', 0, { status: 'failed', turns: 2, chatSessionId: 'chat_1' });
  const begun = attempt('env_1', 0, { status: 'running', turns: 1, chatSessionId: 'chat_1' });
  for (const [read, heard] of [
    [ended, begun],
    [begun, ended],
  ] as const)
    expect(rowsOf(run([read]), heardOf(heard))[0]?.cells).toMatchObject([{ state: 'setupFailed', turns: 2 }]);
});

test('a row is drawn anew when one of its sessions changes, and no other row is', () => {
  const begun = run([attempt('env_1', 0), attempt('env_2', 0)]);
  const [before, after] = [
    rowsOf(begun, new Map()),
    rowsOf(begun, heardOf(attempt('env_2', 0, { status: 'running' }))),
  ];
  expect(before.map((row, at) => isSameRow(row, after[at] as typeof row))).toEqual([true, false]);
});
