import type { ReactNode } from 'react';
import { Few } from '../../../kit/few.tsx';
import { Note } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { Glyph } from '../../../kit/state.tsx';
import { Time } from '../../../kit/time.tsx';
import { checkWords } from '../../suites/check-words.ts';
import { detectorWords } from '../finding-words.ts';
import css from '../swarms.module.css';
import { type Candidate, discoveryIn, insightsIn, type Seen } from './candidates.ts';

/** Draws links to sessions. */
type Evidence = (sessionIds: readonly string[]) => ReactNode;

/** What was counted and what a model makes of it, with a list of the sessions that show each. */
export function Found({
  insights,
  discovery,
  at,
  children: evidence,
}: {
  insights: unknown;
  discovery: unknown;
  at: number;
  children: Evidence;
}) {
  const { summary, model, lowConfidence, truncated, candidates } = insightsIn(insights);
  const seen = discoveryIn(discovery);
  return (
    <>
      {summary !== undefined && <p dir="auto">{summary}</p>}
      {lowConfidence && <Note>There are few sessions, so take it as a hint.</Note>}
      {candidates.length > 0 && (
        <ul className={css.found} aria-label="What was found">
          <Few items={candidates} noun="finding" rest="li">
            {(candidate) => (
              <CandidateLine key={candidate.key} candidate={candidate}>
                {evidence}
              </CandidateLine>
            )}
          </Few>
        </ul>
      )}
      {truncated && <Note>There was more than is shown.</Note>}
      {seen.length > 0 && (
        <>
          <h3>What a model saw besides</h3>
          <ul className={css.found} aria-label="What a model saw besides">
            <Few items={seen} noun="remark" rest="li">
              {(one) => <SeenLine key={one.key} seen={one} evidence={evidence} />}
            </Few>
          </ul>
        </>
      )}
      <p className={css.soft}>
        {model !== undefined && (
          <>
            By <code>{model}</code>,{' '}
          </>
        )}
        <Time at={at} />.
      </p>
    </>
  );
}

/** What sessions have in common, and which show it. */
export function CandidateLine({
  candidate,
  children: evidence,
}: {
  candidate: Candidate;
  children: Evidence;
}) {
  const { detector, subject, affected, total, rootCause, recommendation, confidence } = candidate;
  return (
    <li>
      <Glyph state="attention" size={16} label="found" />
      <div>
        <p className={css.title}>
          {detectorWords(detector)}
          {subject !== '' && (
            <>
              : <bdi>{subject}</bdi>
            </>
          )}
        </p>
        {rootCause !== undefined && <p dir="auto">Probably: {rootCause}</p>}
        {recommendation !== undefined && <p dir="auto">{recommendation}</p>}
        <p className={css.soft}>
          {affected} of {counted(total, 'session')}
          {confidence !== undefined && `, ${confidence} confidence`}
        </p>
        {evidence(candidate.sessionIds)}
      </div>
    </li>
  );
}

function SeenLine({
  seen: { title, detail, check, sessionIds },
  evidence,
}: {
  seen: Seen;
  evidence: Evidence;
}) {
  return (
    <li>
      <Glyph state="notMeasured" size={16} label="remark" />
      <div>
        <p className={css.title} dir="auto">
          {title}
        </p>
        <p dir="auto">{detail}</p>
        {check && <p className={css.soft}>A check that would count it: the model {checkWords(check)}</p>}
        {evidence(sessionIds)}
      </div>
    </li>
  );
}
