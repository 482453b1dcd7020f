import { expect, onTestFinished, test } from 'vitest';
import { type Evals, executing, promptCase } from './support/evals.ts';
import { expectConsistent } from './support/run-facts.ts';
import { type ScriptedProvider } from './support/scripted-provider.ts';
import { type TestService } from './support/service.ts';

/** How ended trials are written when the database refuses one, or its lease is lost just then. */

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    server = await evals.server();
  },
  { keep: 0, env: { DRYDOCK_EVAL_LEASE: '1' } },
);

async function query<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
  const client = await service.database.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Before each row that is added to a table, until the test is over. */
async function beforeRowsOf(table: string, body: string): Promise<void> {
  await query(`create function at_${table}() returns trigger language plpgsql as
    $$ begin ${body} return new; end $$`);
  onTestFinished(async () => void (await query(`drop function at_${table} cascade`)));
  await query(
    `create trigger at_${table} before insert on ${table} for each row execute function at_${table}()`,
  );
}

async function launched(repetitions: number): Promise<string> {
  const tests = [promptCase('Answers', 'Say something')];
  const suiteId = await evals.suite({ serverIds: [server], repetitions, passThreshold: 1, tests });
  return evals.launch({ suiteId });
}

test('of trials that are written together, one that the database refuses is given up; the others are there once', async () => {
  provider.script = () => ({ text: 'Done.' });
  // The next try is the last.
  await beforeRowsOf('eval_trials', 'new.attempts = 5;');
  await beforeRowsOf(
    'eval_results',
    `if new.number = 3 and new.status = 'completed' then raise 'refused'; end if;`,
  );
  const runId = await launched(30);
  await evals.follow(runId);
  await expectConsistent(evals, runId);
  expect(await evals.read(runId)).toMatchObject({ status: 'completed', summary: { total: 30, passed: 29 } });
  const { items } = await evals.read(runId, '/iterations?limit=100');
  expect(items[2]).toMatchObject({ iterationNumber: 3, status: 'failed', error: 'refused' });
});

test('a long trace whose lease is lost while it is stored leaves a file to be swept and no row', async () => {
  provider.script = () => ({ text: 'x'.repeat(100_000) });
  // A file is noted before it is written. The note takes the lease of every first attempt, the noting one included.
  await beforeRowsOf(
    'blob_garbage',
    `update eval_trials set lease_token = 'of somebody else', due_at = now() where state = 'running' and attempts = 1;`,
  );
  const runId = await launched(10);
  await evals.follow(runId);
  await expectConsistent(evals, runId);
  expect((await evals.read(runId)).summary).toMatchObject({ total: 10, passed: 10 });
  const [found] = await query(
    `select (select count(*)::int from eval_traces where run_id = $1 and blob_id is not null) as traces,
       (select count(*)::int from blobs b join eval_traces t on t.blob_id = b.id where t.run_id = $1) as kept,
       (select count(*)::int from blobs) as blobs, (select count(*) > 0 from blob_garbage) as lost,
       (select count(*)::int from blob_garbage g join blobs b on b.id = g.blob_id) as doomed`,
    runId,
  );
  expect(found).toEqual({ traces: 10, kept: 10, blobs: 10, lost: true, doomed: 0 });
});
