import { byCodeUnit } from '../../platform/canonical.ts';
import { groupBy } from '../group-by.ts';
import { sha256 } from '../json/value.ts';
import type { Stage } from '../stage.ts';
import {
  type Disposition,
  dispositionOf,
  dispositions,
  meanings,
  type Signal,
  signals,
  signalsOf,
  type Tone,
} from '../swarms/disposition.ts';
import {
  callsOf,
  isExecuted,
  isUnderWay,
  lifecycleOf,
  type SessionFacts,
  type SessionTarget,
} from '../swarms/facts.ts';
import { executionOf } from '../swarms/run-report.ts';
import { type JourneyRunFacts, journeyRunVerdict } from '../swarms/run-verdict.ts';
import { type SwarmVerdict, sessionVerdict } from '../swarms/session-verdict.ts';
import { cut } from '../text/show.ts';

type CoverageNote =
  | 'chainUnmeasured'
  | 'judgeNotRun'
  | 'sessionsWithdrawn'
  | 'sessionsRateLimited'
  | 'partialRead';

interface FoundPersona {
  personaRefId: string | null;
  name: string;
}

/** The sessions of one run with one target. All values are counted; no model is involved. */
interface SwarmJourneyFinding {
  id: string;
  basis: 'populationFact';
  scopeLevel: 'target';
  persona: FoundPersona;
  goal: { runId: string; journeyRefId: string; title: string };
  target: SessionTarget;
  population: { count: number; total: number; unit: 'sessions' };
  sessionIds: string[];
  citations: string[];
  verdictSeen: SwarmVerdict;
  chainStage: Stage | null;
  chainStageState: 'passed' | 'failed' | null;
  chainStageBasis: 'derived' | 'unmeasured';
  disposition: Disposition;
  tone: Tone;
  coverageNotes: CoverageNote[];
  outcomePhrase: string | null;
  mechanismPhrase: null;
  fixPhrase: null;
  reportExcerpt: null;
  mechanismId: null;
  signal: Signal | null;
}

export interface SwarmJourneyFindings {
  contractVersion: 1;
  generatedAt: number;
  sourceRevision: string;
  pipelineVersion: number;
  extractionVersion: number;
  extractionModel: 'none';
  reasoningModel: 'none';
  summaryKind: 'notLaunched' | 'broken' | 'friction' | 'landed' | 'ungraded' | 'unread';
  population: {
    configured: number;
    started: number;
    read: number;
    unread: number;
    withdrawn: number;
    limited: number;
    graded: number;
  };
  coverageNotes: CoverageNote[];
  disclosure: { rail: 'gateway'; evidenceSent: string[] };
  personas: { persona: FoundPersona; disposition: Disposition; tone: Tone; goalRunIds: string[] }[];
  findings: SwarmJourneyFinding[];
}

/** Version of the rules here and in `disposition.ts`. Increase it when a change affects their results. */
const pipelineVersion = 1;
const maxFindings = 200;
const maxSessionIds = 1000;
const maxNameLength = 200;

/** The findings of a wave, one per run and target, worst disposition first. */
export function journeyFindings(runs: readonly JourneyRunFacts[], generatedAt: number): SwarmJourneyFindings {
  const sessions = runs.flatMap((run) => run.sessions);
  const findings = runs
    .flatMap(findingsOfRun)
    .sort((a, b) => rank(a.disposition) - rank(b.disposition) || byCodeUnit(a.id, b.id));
  const shown = findings.slice(0, maxFindings);
  const notes = new Set(findings.flatMap(({ coverageNotes }) => coverageNotes));
  if (shown.length < findings.length) notes.add('partialRead');
  return {
    contractVersion: 1,
    generatedAt,
    sourceRevision: revisionOf(sessions),
    pipelineVersion,
    extractionVersion: 1,
    extractionModel: 'none',
    reasoningModel: 'none',
    summaryKind: summaryOf(runs, findings),
    population: populationOf(sessions),
    coverageNotes: [...notes].sort(byCodeUnit),
    // No evidence is sent, because no model is called.
    disclosure: { rail: 'gateway', evidenceSent: [] },
    personas: personasIn(findings),
    findings: shown,
  };
}

/**
 * Applies the policy to each target separately, so that missing results of one target do not affect another's verdict.
 */
function findingsOfRun(run: JourneyRunFacts): SwarmJourneyFinding[] {
  const toolsAreCalled = run.sessions.some((session) => callsOf(session) > 0);
  const byTarget = groupBy(run.sessions, ({ target }) =>
    JSON.stringify([target.kind, target.id, target.modelId]),
  );
  return [...byTarget].map(([key, sessions]) => {
    const summary = journeyRunVerdict({ ...run, sessions }, 0);
    const id = `jfd_${sha256(JSON.stringify([run.runId, key])).slice(0, 24)}`;
    const verdict = summary.status === 'decided' ? summary.decision.verdict : 'notEstablished';
    return findingOf(id, sessions, toolsAreCalled, verdict);
  });
}

function findingOf(
  id: string,
  sessions: readonly [SessionFacts, ...SessionFacts[]],
  toolsAreCalled: boolean,
  verdictSeen: SwarmVerdict,
): SwarmJourneyFinding {
  const { runId, journeyId, journeyName, persona, target } = sessions[0];
  const disposition = prevailing(sessions.map((session) => dispositionOf(session, toolsAreCalled)));
  const meant = sessions.filter((session) => dispositionOf(session, toolsAreCalled) === disposition);
  const shown = new Set(meant.filter(isExecuted).flatMap((session) => signalsOf(session, toolsAreCalled)));
  const { tone, stage, phrase } = meanings[disposition];
  return {
    id,
    basis: 'populationFact',
    scopeLevel: 'target',
    persona: { personaRefId: persona.id, name: cut(persona.name, maxNameLength) },
    goal: { runId, journeyRefId: journeyId, title: cut(journeyName, maxNameLength) },
    target: { ...target, label: cut(target.label, maxNameLength) },
    population: { count: meant.length, total: sessions.length, unit: 'sessions' },
    sessionIds: meant.slice(0, maxSessionIds).map(({ sessionId }) => sessionId),
    citations: [],
    verdictSeen,
    chainStage: stage?.name ?? null,
    chainStageState: stage?.state ?? null,
    chainStageBasis: stage ? 'derived' : 'unmeasured',
    disposition,
    tone,
    coverageNotes: notesOf(sessions, stage !== undefined),
    outcomePhrase: phrase,
    mechanismPhrase: null,
    fixPhrase: null,
    reportExcerpt: null,
    mechanismId: null,
    signal: signals.find((signal) => shown.has(signal)) ?? null,
  };
}

/** The most frequent failure; without failures the worst disposition. */
function prevailing(all: readonly Disposition[]): Disposition {
  const count = (wanted: Disposition): number => all.filter((one) => one === wanted).length;
  const present = dispositions.filter((one) => count(one) > 0);
  const failures = present.filter((one) => meanings[one].tone === 'fail');
  return failures.sort((a, b) => count(b) - count(a))[0] ?? present[0] ?? 'notRun';
}

function rank(disposition: Disposition): number {
  return dispositions.indexOf(disposition);
}

function notesOf(sessions: readonly SessionFacts[], staged: boolean): CoverageNote[] {
  const holds: Readonly<Record<CoverageNote, boolean>> = {
    chainUnmeasured: !staged,
    judgeNotRun: sessions.some(
      (session) => isExecuted(session) && sessionVerdict(session).graders.judge !== 'scored',
    ),
    partialRead: sessions.some(isUnderWay),
    sessionsRateLimited: sessions.some((session) => lifecycleOf(session) === 'limited'),
    sessionsWithdrawn: sessions.some((session) => lifecycleOf(session) === 'withdrawn'),
  };
  return (Object.keys(holds) as CoverageNote[]).filter((note) => holds[note]);
}

function populationOf(sessions: readonly SessionFacts[]): SwarmJourneyFindings['population'] {
  const of = (lifecycle: string): number =>
    sessions.filter((session) => lifecycleOf(session) === lifecycle).length;
  const { configured, started } = executionOf(sessions);
  return {
    configured,
    started,
    read: of('ran') + of('broke'),
    unread: of('pending') + of('running'),
    withdrawn: of('withdrawn'),
    limited: of('limited'),
    graded: sessions.filter((session) => sessionVerdict(session).verdictSource !== 'none').length,
  };
}

function summaryOf(
  runs: readonly JourneyRunFacts[],
  findings: readonly SwarmJourneyFinding[],
): SwarmJourneyFindings['summaryKind'] {
  const sessions = runs.flatMap((run) => run.sessions);
  const shows = (tone: Tone): boolean => findings.some((finding) => finding.tone === tone);
  if (sessions.length === 0 || executionOf(sessions).neverLaunched) return 'notLaunched';
  if (shows('fail')) return 'broken';
  if (shows('warn')) return 'friction';
  if (shows('ok')) return 'landed';
  return sessions.some((session) => sessionVerdict(session).reason === 'ungraded') ? 'ungraded' : 'unread';
}

/** Each persona with the worst of its findings. */
function personasIn(findings: readonly SwarmJourneyFinding[]): SwarmJourneyFindings['personas'] {
  const byPersona = groupBy(findings, ({ persona }) => JSON.stringify([persona.personaRefId, persona.name]));
  return [...byPersona.values()].map((group) => ({
    persona: group[0].persona,
    disposition: group[0].disposition,
    tone: group[0].tone,
    goalRunIds: [...new Set(group.map(({ goal }) => goal.runId))].sort(byCodeUnit),
  }));
}

/** A hash of the facts, independent of the order of sessions. */
function revisionOf(sessions: readonly SessionFacts[]): string {
  const facts = sessions.map((session) => JSON.stringify(session)).sort(byCodeUnit);
  return sha256(JSON.stringify(facts)).slice(0, 32);
}
