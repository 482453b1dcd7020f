import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import { cases, type Ground, repetitions, sessionsPerTarget, targets } from './ground.ts';
import type { Acknowledged } from './load.ts';
import { turnsOfSession } from './models.ts';

interface Checked {
  fleet: Fleet;
  ground: Ground;
  acknowledged: Acknowledged;
}

/** Describes all inconsistencies after the loads have ended. */
export async function problemsAfter(checked: Checked): Promise<string[]> {
  const checks = [madeOnce, readBack, edits, uploads, trials, sessions, watchers, modelCalls, leftovers];
  const found = [];
  for (const check of checks) found.push(...(await check(checked)));
  return found;
}

/** Tables and lists of named resources, by action. */
const places = [
  { action: 'server.create', names: "select id, name from servers where name like 'w%'", list: 'servers' },
  { action: 'persona.create', names: "select id, name from personas where name like 'w%'", list: 'personas' },
  { action: 'project.create', names: "select id, name from projects where name like 'w%'", list: undefined },
  {
    action: 'eval-run.report',
    names: "select id, idempotency_key as name from eval_runs where source = 'sdk'",
    list: undefined,
  },
];

/** Each acknowledged name has one row and one audit event, and no other name has any. */
async function madeOnce({ fleet: { node }, acknowledged }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const { action, names } of places) {
    const made = acknowledged.made.filter((one) => one.action === action);
    const rows = await node.ask<{ id: string; name: string }>(names);
    const audited = await node.ask<{ id: string; n: number }>(
      `select target as id, count(*)::int as n from audit_events where action = '${action}' group by target`,
    );
    const times = new Map(audited.map(({ id, n }) => [id, n]));
    const there = new Set(rows.map(({ id }) => id));
    const known = new Set(made.map(({ id }) => id));
    if (made.length === 0) problems.push(`${action}: nothing was made`);
    for (const { id, name } of made) {
      if (!there.has(id)) problems.push(`${action}: ${name} (${id}) was acknowledged and is lost`);
      if (times.get(id) !== 1)
        problems.push(`${action}: ${name} is ${times.get(id) ?? 0} times in the audit`);
    }
    for (const { id, name } of rows)
      if (!known.has(id)) problems.push(`${action}: ${name} (${id}) was made and nobody was told`);
  }
  return problems;
}

/** The lists of the fleet contain every acknowledged resource. */
async function readBack({ ground: { caller, project }, acknowledged }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const { action, list } of places) {
    if (list === undefined) continue;
    const seen = new Set<string>();
    for (let cursor = ''; ; ) {
      const page = await caller.json('verify', 'GET', `${project}/${list}?limit=100${cursor}`);
      for (const { id } of page.items) seen.add(id);
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    const missing = acknowledged.made.filter((one) => one.action === action && !seen.has(one.id));
    problems.push(...missing.map(({ name }) => `${name} is not in the list of ${list}`));
  }
  return problems;
}

async function edits({ ground: { caller, project }, acknowledged }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const [id, notes] of acknowledged.edited) {
    const now = await caller.json('verify', 'GET', `${project}/personas/${id}`);
    if (now.notes !== notes) problems.push(`${id} says "${now.notes}" and was last told "${notes}"`);
  }
  return acknowledged.edited.size > 0 ? problems : ['Nothing was edited'];
}

async function uploads({ ground: { caller, project }, acknowledged }: Checked): Promise<string[]> {
  const problems: string[] = [];
  for (const [id, digest] of acknowledged.uploads) {
    const bytes = await caller.bytes('verify', 'GET', `${project}/eval-ingest/artifacts/${id}`);
    const found = createHash('sha256').update(new Uint8Array(bytes)).digest('hex');
    if (found !== digest) problems.push(`The upload ${id} is not what was sent`);
  }
  return acknowledged.uploads.size > 0 ? problems : ['Nothing was uploaded'];
}

/** Each trial of each run has one result; counters, events and verdict fit them. */
async function trials({ fleet: { node }, acknowledged }: Checked): Promise<string[]> {
  const total = cases * repetitions;
  const wanted = [
    'completed failed',
    `${total} trials, ${total} finished, ${total / 2} passed, ${total / 2} failed`,
    `${total} rows done, ${total} results of ${total} places, ${total / 2} passed`,
    'events without a gap, nothing left to add',
  ].join('; ');
  const rows = await node.ask<{ id: string; found: string }>(`
    select r.id, concat(r.status, ' ', r.result, '; ',
      r.trials, ' trials, ', r.finished, ' finished, ', r.passed, ' passed, ', r.failed, ' failed; ',
      (select count(*) from eval_trials t where t.run_id = r.id and t.state = 'done' and t.due_at is null), ' rows done, ',
      (select concat(count(*), ' results of ', count(distinct position), ' places, ',
          count(*) filter (where result = 'passed'), ' passed; ')
        from eval_results e where e.run_id = r.id),
      case when r.events = (select count(*) from eval_run_events e where e.run_id = r.id)
        and r.events = (select max(number) + 1 from eval_run_events e where e.run_id = r.id)
        then 'events without a gap, ' else 'events with gaps, ' end,
      case when exists (select from eval_tally t where t.run_id = r.id) then 'something' else 'nothing' end,
      ' left to add') as found
    from eval_runs r where r.source <> 'sdk'`);
  const problems = rows.filter(({ found }) => found !== wanted).map(({ id, found }) => `${id}: ${found}`);
  const known = new Set(acknowledged.runs);
  const launched = rows.length === known.size && rows.every(({ id }) => known.has(id));
  if (!launched) problems.push(`${known.size} runs were launched, ${rows.length} are there`);
  return known.size > 0 ? problems : ['No run was launched'];
}

/** Each session of each swarm ended once, with each question asked and answered once. */
async function sessions({ fleet: { node }, acknowledged }: Checked): Promise<string[]> {
  const total = targets * sessionsPerTarget;
  const questions = Array.from({ length: turnsOfSession }, (_, turn) => `Question ${turn}`).join();
  const wanted = `completed, ${total} of ${total} succeeded, ${total} sessions, ${total} graded, ${total} conversations`;
  const rows = await node.ask<{ id: string; found: string }>(`
    select r.id, concat(r.status, ', ', r.succeeded, ' of ', r.total, ' succeeded, ',
      (select count(distinct position) from journey_sessions s
        where s.run_id = r.id and s.state = 'done' and s.status = 'succeeded' and s.turns = ${turnsOfSession}), ' sessions, ',
      r.graded, ' graded, ',
      (select count(*) from journey_sessions s where s.run_id = r.id and '${questions}' =
        (select string_agg(m.content #>> '{}', ',' order by m.number) from chat_messages m
          where m.session_id = s.id and m.role = 'user')), ' conversations') as found
    from journey_runs r`);
  const problems = rows.filter(({ found }) => found !== wanted).map(({ id, found }) => `${id}: ${found}`);
  const known = new Set(acknowledged.swarms);
  if (rows.length !== known.size)
    problems.push(`${known.size} swarms were launched, ${rows.length} are there`);
  return known.size > 0 ? problems : ['No swarm was launched'];
}

/** Every watcher received all events once, in order, to the end. */
async function watchers({ acknowledged }: Checked): Promise<string[]> {
  const problems = acknowledged.watched.flatMap(({ runId, ids, ended }) => {
    const astray = ids.findIndex((id, place) => id !== place);
    return [
      ...(ended ? [] : [`${runId} is stuck: who watched it was not told the end`]),
      ...(astray < 0 ? [] : [`${runId}: event ${astray} came as ${ids[astray]}`]),
    ];
  });
  return acknowledged.watched.length > 0 ? problems : ['Nobody watched'];
}

/** An attempt at a trial calls the model at most twice. Extra calls come from attempts that were cut off. */
async function modelCalls({ fleet: { node, models } }: Checked): Promise<string[]> {
  const [counted] = await node.ask<{ trials: number; attempts: number }>(
    `select count(*)::int as trials, sum(t.attempts)::int as attempts from eval_trials t
     join eval_runs r on r.id = t.run_id where r.source <> 'sdk'`,
  );
  const { trials: ended = 0, attempts = 0 } = counted ?? {};
  const asked = models.asked.trials;
  const explained = asked >= 2 * ended && asked <= 2 * attempts;
  return explained ? [] : [`${ended} trials in ${attempts} attempts asked the model ${asked} times`];
}

const left = {
  'trials that are not over': 'select from eval_trials where due_at is not null',
  'sessions that are not over':
    'select from journey_sessions where due_at is not null and state = $$running$$',
  'jobs whose lease ran out':
    "select from jobs where state = 'running' and due_at < now() - interval '5 seconds'",
  'jobs that failed': "select from jobs where state = 'failed'",
  'keys without an answer': 'select from idempotency_keys where response is null',
  'runs that are not over': "select from eval_runs where status in ('pending', 'running', 'grading')",
};

/** Polls for a while, because jobs clean up after a run. */
async function leftovers({ fleet: { node } }: Checked): Promise<string[]> {
  const look = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const [what, sql] of Object.entries(left)) {
      const count = (await node.ask(sql)).length;
      if (count > 0) found.push(`${count} ${what}`);
    }
    return found;
  };
  for (const until = performance.now() + 60_000; performance.now() < until; await delay(200))
    if ((await look()).length === 0) return [];
  return look();
}
