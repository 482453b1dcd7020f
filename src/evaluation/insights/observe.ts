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
interface Sighting {
  subject: Subject;
  happened: boolean;
  /** Not subject to chance: one session is enough for the detector to fire. */
  certain: boolean;
}

export interface Detector<Session, Rest extends unknown[] = []> {
  name: string;
  dimension: 'criteria' | 'goal' | 'execution' | 'tools' | 'conversation' | 'speed' | 'feedback';
  /** Returns one sighting per subject; none if the problem could not occur in this session. */
  read(session: Session, ...rest: Rest): Sighting[];
}

/** The detector and the subject that sessions are counted for. */
interface Counted {
  /** Equal for the same detector and subject in every wave. */
  fingerprint: string;
  detector: string;
  dimension: Detector<unknown>['dimension'];
  subject: Subject;
}

/** The result of one detector for one subject in one session. */
export interface Reading extends Counted {
  sessionId: string;
  happened: boolean;
  /** The problem happened, and one session is enough for the detector to fire. */
  certain: boolean;
}

/** The readings of one detector for one subject, counted. */
export interface Tally extends Counted {
  affected: number;
  total: number;
  /** At least one reading is certain. */
  certain: boolean;
  /** The first sessions by id, up to `maxEvidence`. */
  evidenceSessionIds: string[];
  /** The first sessions by id, up to `maxContrast`. */
  contrastSessionIds: string[];
}

/** Aggregate of the readings of one detector for one subject, over the sessions of a wave. */
export interface Observation extends Counted {
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
export interface Threshold {
  share: number;
  sessions: number;
}

export const maxEvidence = 20;
export const maxContrast = 10;
const maxLabelLength = 200;
/** Maximum characters of a subject's ID. With the longest detector and kind, a fingerprint stays within 300. */
const maxIdLength = 250;
const keptOfLongId = 150;

/** Observes every subject that the sessions cover, also subjects without a problem; independent of their order. */
export function observeWith<Session extends { sessionId: string }>(
  detectors: readonly Detector<Session>[],
  sessions: readonly Session[],
  threshold: Threshold,
): Observation[] {
  const readings = sessions.flatMap((session) => readingsOf(detectors, session));
  return observationsOf(talliesOf(readings), threshold);
}

/** The readings of one session: one for each detector and subject. */
export function readingsOf<Session extends { sessionId: string }>(
  detectors: readonly Detector<Session>[],
  session: Session,
): Reading[] {
  const { sessionId } = session;
  return detectors.flatMap((detector) => {
    const { name, dimension } = detector;
    const bySubject = groupBy(detector.read(session), ({ subject }) => fingerprintOf(name, subject));
    return [...bySubject].map(([fingerprint, sightings]): Reading => {
      const { kind, id, label } = sightings[0].subject;
      return {
        sessionId,
        fingerprint,
        detector: name,
        dimension,
        subject: { kind, id: boundedId(id), label: cut(label, maxLabelLength) },
        happened: sightings.some(({ happened }) => happened),
        certain: sightings.some(({ happened, certain }) => happened && certain),
      };
    });
  });
}

/** Counts readings, independent of their order. */
export function talliesOf(readings: readonly Reading[]): Tally[] {
  const ordered = readings.toSorted((a, b) => byCodeUnit(a.sessionId, b.sessionId));
  return [...groupBy(ordered, ({ fingerprint }) => fingerprint).values()].map((of) => {
    const { fingerprint, detector, dimension, subject } = of[0];
    const idsOf = (some: Reading[]): string[] => some.map(({ sessionId }) => sessionId);
    const affected = idsOf(of.filter(({ happened }) => happened));
    const clear = idsOf(of.filter(({ happened }) => !happened));
    return {
      fingerprint,
      detector,
      dimension,
      subject,
      affected: affected.length,
      total: of.length,
      certain: of.some(({ certain }) => certain),
      evidenceSessionIds: affected.slice(0, maxEvidence),
      contrastSessionIds: clear.slice(0, maxContrast),
    };
  });
}

export function observationsOf(tallies: readonly Tally[], threshold: Threshold): Observation[] {
  return tallies
    .map(({ certain, ...tally }) => {
      const { affected, total } = tally;
      const metric = affected / total;
      return {
        ...tally,
        fires: certain || (affected >= threshold.sessions && metric >= threshold.share),
        metric,
        evidenceTruncated: affected > maxEvidence,
      };
    })
    .sort((a, b) => byCodeUnit(a.fingerprint, b.fingerprint));
}

function fingerprintOf(detector: string, { kind, id }: Subject): string {
  return `${detector}:${kind}:${boundedId(id)}`;
}

/** The ID itself if it is short and can be stored, otherwise its beginning and a hash of the whole. */
function boundedId(id: string): string {
  return cut(id, maxIdLength) === id ? id : `${cut(id, keptOfLongId)}~${sha256(JSON.stringify(id))}`;
}
