import { byCodeUnit } from '../../platform/canonical.ts';
import { groupBy } from '../group-by.ts';
import { sha256 } from '../json/value.ts';
import { cut } from '../text/show.ts';

/** The subject of a finding. IDs and labels may come from servers, so observations bound their length. */
export interface Subject {
  kind: 'criterion' | 'journey' | 'environment' | 'host' | 'tool' | 'study';
  id: string;
  label: string;
}

/** One session could have shown the problem in this subject; `happened` says whether it did. */
interface Reading {
  subject: Subject;
  happened: boolean;
  /** Not subject to chance: one session is enough for the detector to fire. */
  certain: boolean;
}

export interface Detector<Session, Rest extends unknown[] = []> {
  name: string;
  dimension: 'criteria' | 'goal' | 'execution' | 'tools' | 'conversation' | 'speed' | 'feedback';
  /** Returns one reading per subject; none if the problem could not occur in this session. */
  read(session: Session, ...rest: Rest): Reading[];
}

/** Aggregate of the readings of one detector for one subject, over the sessions of a wave. */
export interface Observation {
  /** Equal for the same detector and subject in every wave. */
  fingerprint: string;
  detector: string;
  dimension: Detector<unknown>['dimension'];
  subject: Subject;
  fires: boolean;
  /** Number of sessions with the problem, and of sessions in which it could have occurred. */
  affected: number;
  total: number;
  /** `affected` / `total`. */
  metric: number;
  evidenceSessionIds: string[];
  /** Sessions in which the problem could have occurred and did not. */
  contrastSessionIds: string[];
  evidenceTruncated: boolean;
}

/** Minimum share and number of affected sessions for a detector to fire. */
interface Threshold {
  share: number;
  sessions: number;
}

const maxEvidence = 20;
const maxContrast = 10;
const maxLabelLength = 200;
/** Maximum characters of a subject's ID. With the longest detector and kind, a fingerprint stays within 300. */
const maxIdLength = 250;
const keptOfLongId = 150;

/** Observes every subject that the sessions cover, also subjects without a problem; independent of their order. */
export function observeWith<Session extends { sessionId: string }>(
  detectors: readonly Detector<Session>[],
  covered: readonly Session[],
  threshold: Threshold,
): Observation[] {
  const sessions = covered.toSorted((a, b) => byCodeUnit(a.sessionId, b.sessionId));
  return detectors
    .flatMap((detector) => {
      const readings = sessions.flatMap((session) =>
        detector.read(session).map((reading) => ({ ...reading, sessionId: session.sessionId })),
      );
      const bySubject = groupBy(readings, ({ subject }) => fingerprintOf(detector.name, subject));
      return [...bySubject].map(([fingerprint, of]) => observationOf(detector, fingerprint, of, threshold));
    })
    .sort((a, b) => byCodeUnit(a.fingerprint, b.fingerprint));
}

type SessionReading = Reading & { sessionId: string };

function observationOf(
  { name, dimension }: Pick<Observation, 'dimension'> & { name: string },
  fingerprint: string,
  readings: readonly [SessionReading, ...SessionReading[]],
  threshold: Threshold,
): Observation {
  const { kind, id, label } = readings[0].subject;
  const happened = readings.filter((reading) => reading.happened);
  const affected = new Set(happened.map(({ sessionId }) => sessionId));
  const all = new Set(readings.map(({ sessionId }) => sessionId));
  const metric = affected.size / all.size;
  const isOften = affected.size >= threshold.sessions && metric >= threshold.share;
  return {
    fingerprint,
    detector: name,
    dimension,
    subject: { kind, id: boundedId(id), label: cut(label, maxLabelLength) },
    fires: isOften || happened.some(({ certain }) => certain),
    affected: affected.size,
    total: all.size,
    metric,
    evidenceSessionIds: [...affected].slice(0, maxEvidence),
    contrastSessionIds: [...all].filter((sessionId) => !affected.has(sessionId)).slice(0, maxContrast),
    evidenceTruncated: affected.size > maxEvidence,
  };
}

function fingerprintOf(detector: string, { kind, id }: Subject): string {
  return `${detector}:${kind}:${boundedId(id)}`;
}

/** The ID itself if it is short and can be stored, otherwise its beginning and a hash of the whole. */
function boundedId(id: string): string {
  return cut(id, maxIdLength) === id ? id : `${cut(id, keptOfLongId)}~${sha256(JSON.stringify(id))}`;
}
