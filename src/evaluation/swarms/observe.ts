import { byCodeUnit } from '../../platform/canonical.ts';
import { sha256 } from '../json/value.ts';
import { cut } from '../text/show.ts';
import { type Detector, detectors, type Reading, type Subject } from './detectors.ts';
import { callsOf, type SessionFacts } from './facts.ts';
import { grouped } from './grouped.ts';

/** What the sessions of a wave tell about one subject. */
export interface Observation {
  /** The same in every wave. */
  fingerprint: string;
  detector: string;
  dimension: Detector<unknown>['dimension'];
  subject: Subject;
  fires: boolean;
  /** Sessions in which it happened, of those in which it could have. */
  affected: number;
  total: number;
  /** Their share. */
  metric: number;
  evidenceSessionIds: string[];
  /** Of sessions in which it could have happened and did not. */
  contrastSessionIds: string[];
  evidenceTruncated: boolean;
}

/** Which share of the sessions that could show something has to, and how many at least. */
interface Chance {
  share: number;
  sessions: number;
}

/**
 * What a model does or judges is left to chance now and then: it is a finding from a fifth of the sessions on. With
 * fewer than five sessions that is any.
 */
const chance: Chance = { share: 0.2, sessions: 1 };
const mostEvidence = 20;
const mostContrast = 10;
const longestLabel = 200;
/** With the longest names of detector and kind, a fingerprint stays within 300 characters. */
const longestId = 250;
const keptOfLongId = 150;

/** Every subject that the sessions of a wave cover, whether something is wrong with it or not; in one order. */
export function observe(wave: readonly SessionFacts[]): Observation[] {
  const calling = new Set(wave.filter((session) => callsOf(session) > 0).map(({ runId }) => runId));
  const bound = detectors.map(
    (detector): Detector<SessionFacts> => ({
      ...detector,
      read: (session) => detector.read(session, calling),
    }),
  );
  return observeWith(bound, wave, chance);
}

/** The same for any sessions and detectors. Where chance is in it, `atLeast` says from when on something fires. */
export function observeWith<Session extends { sessionId: string }>(
  all: readonly Detector<Session>[],
  covered: readonly Session[],
  atLeast: Chance,
): Observation[] {
  const sessions = covered.toSorted((a, b) => byCodeUnit(a.sessionId, b.sessionId));
  return all
    .flatMap((detector) => observeOne(detector, sessions, atLeast))
    .sort((a, b) => byCodeUnit(a.fingerprint, b.fingerprint));
}

type SessionReading = Reading & { sessionId: string };

function observeOne<Session extends { sessionId: string }>(
  detector: Detector<Session>,
  sessions: readonly Session[],
  atLeast: Chance,
): Observation[] {
  const readings = sessions.flatMap((session) =>
    detector.read(session).map((reading) => ({ ...reading, sessionId: session.sessionId })),
  );
  const bySubject = grouped(readings, ({ subject }) => fingerprintOf(detector.name, subject));
  return [...bySubject].map(([fingerprint, of]) => observationOf(detector, fingerprint, of, atLeast));
}

function observationOf(
  { name, dimension }: Pick<Observation, 'dimension'> & { name: string },
  fingerprint: string,
  readings: readonly [SessionReading, ...SessionReading[]],
  { share, sessions: least }: Chance,
): Observation {
  const { kind, id, label } = readings[0].subject;
  const happened = readings.filter((reading) => reading.happened);
  const affected = new Set(happened.map(({ sessionId }) => sessionId));
  const all = new Set(readings.map(({ sessionId }) => sessionId));
  const metric = affected.size / all.size;
  return {
    fingerprint,
    detector: name,
    dimension,
    subject: { kind, id: boundedId(id), label: cut(label, longestLabel) },
    fires: happened.some(({ certain }) => certain) || (affected.size >= least && metric >= share),
    affected: affected.size,
    total: all.size,
    metric,
    evidenceSessionIds: [...affected].slice(0, mostEvidence),
    contrastSessionIds: [...all].filter((sessionId) => !affected.has(sessionId)).slice(0, mostContrast),
    evidenceTruncated: affected.size > mostEvidence,
  };
}

function fingerprintOf(detector: string, { kind, id }: Subject): string {
  return `${detector}:${kind}:${boundedId(id)}`;
}

/** The id itself where it is short and can be stored, else its beginning and a hash of all of it. */
function boundedId(id: string): string {
  return cut(id, longestId) === id ? id : `${cut(id, keptOfLongId)}~${sha256(JSON.stringify(id))}`;
}
