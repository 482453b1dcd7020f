import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import type { GoalJudge, SessionRubric } from '../../../contract/rubrics.ts';
import { hostedRoute, type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import { type Db, violates } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import * as journeys from '../../../platform/database/queries/journeys.ts';
import * as personas from '../../../platform/database/queries/personas.ts';
import * as swarms from '../../../platform/database/queries/swarms.ts';
import { newId } from '../../../platform/ids.ts';
import { conflict, found } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { ProjectContext, Services } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { requireUnchanged } from '../../execution/require-unchanged.ts';
import { judgingRoute } from '../../judging/ask-judge.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { spendWithRateLimit } from '../../limits/spend-with-rate-limit.ts';
import { type JourneySnapshot, shownTarget } from '../snapshot.ts';
import { type ChosenTarget, chooseTargets, targetOf } from './targets.ts';

type Input = InputOf<Operations['launchJourneyRun']>;
type Launched = OutputOf<Operations['launchJourneyRun']>;

/** Targets of a run whose sessions start immediately; the others wait for a target to be done. */
const targetsAtOnce = 3;
/** Launches per organization and minute. */
const perMinute = 30;

export const launchJourneyRun: Verb<'launchJourneyRun'> = async (context, input) => {
  const earlier = await replayed(context, input);
  if (earlier) return earlier;
  const { db, project } = context;
  const journey = found(
    await db.row(journeys.find, { projectId: project.id, id: input.journeyId }),
    'journey',
  );
  try {
    const targets = await chooseTargets(context, journey, input.body.environmentIds);
    return await writeInProject(context, (trx) => write(context, trx, input, targets));
  } catch (error) {
    // A concurrent request with the same key may have been faster, and its run may have used up the daily budget.
    const overtaken = violates(error, 'journey_runs_key') || error instanceof Refusal;
    const first = overtaken ? await replayed(context, input) : undefined;
    if (first) return first;
    throw error;
  }
};

/** The run an earlier request with this key created. */
async function replayed(context: ProjectContext, input: Input): Promise<Launched | undefined> {
  const { idempotencyKey } = input;
  if (idempotencyKey === undefined) return undefined;
  const projectId = context.project.id;
  const run = await context.db.row(runs.byKey, { projectId, idempotencyKey });
  if (!run) return undefined;
  if (run.requestHash !== hashOf(context, input))
    throw conflict(
      'This Idempotency-Key was used with another request. Use a new key',
      'IDEMPOTENCY_KEY_REUSED',
      { runId: run.id },
    );
  return launched(run, true);
}

function hashOf({ vault }: ProjectContext, { journeyId, body }: Input): string {
  return vault.fingerprint(JSON.stringify([journeyId, body]));
}

function launched({ id, journeyId, projectId }: runs.JourneyRunRow, deduped: boolean): Launched {
  return { id, journeyId, projectId, status: 'running', deduped };
}

/** Creates the run, its sessions and its snapshot in one transaction. */
async function write(
  context: ProjectContext,
  db: Db,
  input: Input,
  targets: readonly ChosenTarget[],
): Promise<Launched> {
  const { actor, project, clock } = context;
  const { body, idempotencyKey } = input;
  const projectId = project.id;
  // Locks the journey and checks that the selections are unchanged since they were read.
  const journey = found(await db.row(journeys.lock, { projectId, id: input.journeyId }), 'journey');
  for (const { selection } of targets) await requireUnchanged(db, context, selection);
  const { snapshot, routes } = await snapshotOf(context, db, journey, targets);
  await refuseSpent(context, db, routes);
  await spendWithRateLimit(context, db, 'journeyLaunchesPerDay', perMinute, `journey ${journey.id}`);
  const id = newId('jrun', clock());
  const { persona } = snapshot;
  const run = await db.one(runs.insert, {
    id,
    organizationId: actor.organization.id,
    projectId,
    journeyId: journey.id,
    waveId: body.waveId ?? newId('wave', clock()),
    startedBy: actor.user.id,
    journeyName: journey.name,
    persona: { personaId: persona.id, name: persona.name, role: persona.role },
    targets: snapshot.targets.map(shownTarget),
    total: snapshot.targets.length * snapshot.sessionsPerTarget,
    rubric: snapshot.rubric,
    judged: snapshot.judge !== null,
    passThreshold: snapshot.passThreshold,
    idempotencyKey: idempotencyKey ?? null,
    requestHash: idempotencyKey === undefined ? null : hashOf(context, input),
    snapshot,
  });
  await addSessions(db, run, snapshot);
  await audit(db, context, 'journey-run.launch', id, { journeyId: journey.id });
  return launched(run, false);
}

async function addSessions(db: Db, run: runs.JourneyRunRow, snapshot: JourneySnapshot): Promise<void> {
  const { targets, sessionsPerTarget } = snapshot;
  const all = targets.flatMap(({ kind, targetId }, target) =>
    Array.from({ length: sessionsPerTarget }, (_, index) => ({
      id: `synth_${run.id}_${kind === 'environment' ? 'env_' : ''}${targetId}_${index}`,
      target,
      index,
    })),
  );
  await db.run(sessions.insert, {
    organizationId: run.organizationId,
    projectId: run.projectId,
    runId: run.id,
    atOnce: targetsAtOnce,
    ids: all.map(({ id }) => id),
    positions: all.map((_, position) => position),
    targets: all.map(({ target }) => target),
    indexes: all.map(({ index }) => index),
  });
}

/** The frozen settings of the run, and the models it calls. */
async function snapshotOf(
  context: ProjectContext,
  db: Db,
  journey: journeys.JourneyRow,
  targets: readonly ChosenTarget[],
): Promise<{ snapshot: JourneySnapshot; routes: ModelRoute[] }> {
  const { projectId, swarmId } = journey;
  const persona = await db.row(personas.find, { projectId, id: journey.personaId });
  if (!persona) throw conflict('The persona of the journey was deleted', 'PERSONA_MISSING');
  const swarm = swarmId === null ? undefined : await db.row(swarms.find, { projectId, id: swarmId });
  const written: JourneySnapshot['targets'] = [];
  for (const target of targets) written.push(await targetOf(context, db, target));
  const speaker = personaRoute(context);
  const { judge, resolved } = judgeOf(context, journey.judge as GoalJudge);
  return {
    snapshot: {
      version: 1,
      journey: { id: journey.id, name: journey.name, goal: journey.goal },
      persona: { id: persona.id, name: persona.name, role: persona.role, notes: persona.notes },
      personaModel: speaker ? { model: speaker.id, provider: speaker.provider } : null,
      sessionsPerTarget: journey.sessionsPerTarget ?? swarm?.sessionsPerTarget ?? 1,
      maxTurns: journey.maxTurns ?? swarm?.maxTurns ?? 10,
      rubric: (journey.rubric ?? swarm?.rubric ?? null) as SessionRubric | null,
      judge,
      passThreshold: journey.passThreshold,
      targets: written,
    },
    routes: [
      ...targets.map(({ route }) => route),
      ...[speaker, resolved].filter((route) => route !== undefined),
    ],
  };
}

/** The persona model the operator configured, otherwise the first language model. */
function personaRoute({ models, config }: Pick<Services, 'models' | 'config'>): ModelRoute | undefined {
  const { personaModel } = config;
  if (personaModel === undefined) return hostedRoute(models);
  const { route, problem } = resolveModel(models, { model: personaModel });
  if (problem)
    throw new Refusal(
      'FEATURE_NOT_SUPPORTED',
      'The model that plays personas cannot be used. The operator sets DRYDOCK_PERSONA_MODEL to a hosted one',
      { details: { reason: 'PERSONA_MODEL_UNAVAILABLE' } },
    );
  return route.wire === 'rehearsal' ? undefined : route;
}

/** Without a language model there is no judge: a goal has no keywords to count. */
function judgeOf(
  { models }: ProjectContext,
  { enabled, model = '', threshold }: GoalJudge,
): { judge: JourneySnapshot['judge']; resolved: ModelRoute | undefined } {
  const resolved = enabled ? judgingRoute(models, model) : undefined;
  return { judge: resolved ? { enabled, threshold, resolved: resolved.id } : null, resolved };
}
