import type { ReactNode } from 'react';
import common from '../../../kit/common.module.css';
import { LimitedList } from '../../../kit/limited-list.tsx';
import { Note } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { Glyph } from '../../../kit/state.tsx';
import { Time } from '../../../kit/time.tsx';
import { checkText } from '../../suites/check-labels.ts';
import { detectorText } from '../finding-labels.ts';
import css from '../swarms.module.css';
import { type Candidate, discoveryIn, insightsIn, type Seen } from './candidates.ts';

/** Renders links to sessions. */
type Evidence = (sessionIds: readonly string[]) => ReactNode;

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
      {lowConfidence && <Note>Few sessions: treat as indicative.</Note>}
      {candidates.length > 0 && (
        <ul className={css.found} aria-label="Findings">
          <LimitedList items={candidates} noun="finding" rest="li">
            {(candidate) => (
              <CandidateLine key={candidate.key} candidate={candidate}>
                {evidence}
              </CandidateLine>
            )}
          </LimitedList>
        </ul>
      )}
      {truncated && <Note>More findings exist than are shown.</Note>}
      {seen.length > 0 && (
        <>
          <h3>Model observations</h3>
          <ul className={css.found} aria-label="Model observations">
            <LimitedList items={seen} noun="observation" rest="li">
              {(one) => <SeenLine key={one.key} seen={one} evidence={evidence} />}
            </LimitedList>
          </ul>
        </>
      )}
      <p className={common.soft}>
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
          {detectorText(detector)}
          {subject !== '' && (
            <>
              : <bdi>{subject}</bdi>
            </>
          )}
        </p>
        {rootCause !== undefined && <p dir="auto">Probably: {rootCause}</p>}
        {recommendation !== undefined && <p dir="auto">{recommendation}</p>}
        <p className={common.soft}>
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
      <Glyph state="notMeasured" size={16} label="observation" />
      <div>
        <p className={css.title} dir="auto">
          {title}
        </p>
        <p dir="auto">{detail}</p>
        {check && <p className={common.soft}>Suggested check: the model {checkText(check)}</p>}
        {evidence(sessionIds)}
      </div>
    </li>
  );
}
