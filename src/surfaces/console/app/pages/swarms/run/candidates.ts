import { listIn, numberIn, textIn } from '../../../kit/given.ts';
import { cut } from '../../../kit/text.ts';

/** A pattern shared by sessions of a wave. Its text is untrusted, because models and servers affect it. */
export interface Candidate {
  key: string;
  detector: string;
  subject: string;
  status: string | undefined;
  affected: number;
  total: number;
  sessionIds: string[];
  rootCause: string | undefined;
  recommendation: string | undefined;
  confidence: string | undefined;
}

export interface Seen {
  key: string;
  title: string;
  detail: string;
  sessionIds: string[];
  /** A check that would detect it in future runs. */
  check: Record<string, unknown> | undefined;
}

export interface ReadInsights {
  summary: string | undefined;
  model: string | undefined;
  lowConfidence: boolean;
  truncated: boolean;
  candidates: Candidate[];
}

type Raw = Record<string, unknown>;

function asRaw(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

/** Maximum characters of a text. */
const longest = 2_000;
const maxSessions = 20;

export function insightsIn(given: unknown): ReadInsights {
  const raw = asRaw(given);
  return {
    summary: words(raw['summary']),
    model: words(raw['modelUsed']),
    lowConfidence: raw['lowConfidence'] === true,
    truncated: raw['truncated'] === true,
    candidates: [...listIn(raw['candidates']), ...listIn(raw['unnarratedCandidates'])].map(candidateOf),
  };
}

function candidateOf(given: unknown, at: number): Candidate {
  const raw = asRaw(given);
  return {
    key: `${at} ${textIn(raw['fingerprint']) ?? ''}`,
    detector: textIn(raw['detector']) ?? '',
    subject: cut(textIn(asRaw(raw['subject'])['label']) ?? ''),
    status: textIn(raw['findingStatus']),
    affected: numberIn(raw['affectedSessions']) ?? 0,
    total: numberIn(raw['sliceTotal']) ?? 0,
    sessionIds: idsIn(raw['evidenceSessionIds']),
    rootCause: words(raw['rootCause']),
    recommendation: words(raw['recommendation']),
    confidence: textIn(raw['confidence']),
  };
}

export function discoveryIn(given: unknown): Seen[] {
  return listIn(asRaw(given)['findings']).map((one, at) => {
    const raw = asRaw(one);
    const check = asRaw(raw['suggestedCheck']);
    return {
      key: `${at} ${textIn(raw['slug']) ?? ''}`,
      title: words(raw['title']) ?? '',
      detail: words(raw['detail']) ?? '',
      sessionIds: idsIn(raw['sessionIds']),
      check: typeof check['type'] === 'string' ? check : undefined,
    };
  });
}

function words(value: unknown): string | undefined {
  const text = textIn(value);
  return text === undefined || text === '' ? undefined : cut(text, longest);
}

function idsIn(value: unknown): string[] {
  return listIn(value)
    .flatMap((one) => textIn(one) ?? [])
    .slice(0, maxSessions);
}
