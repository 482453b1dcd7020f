import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import common from '../../kit/common.module.css';
import { LimitedList } from '../../kit/limited-list.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { findingStates } from './finding-labels.ts';
import css from './findings.module.css';
import { type Measured, WaveChart } from './wave-chart.tsx';

type Status = keyof typeof findingStates;

/** A recurring problem, with its history of measurements. */
export interface ListedFinding {
  id: string;
  what: string;
  subject: { kind: string; label: string };
  status: Status;
  occurrenceCount: number;
  lastSeenAt: number;
  dismissedAt: number | null;
  measured: Measured[];
}

const groups = [
  ['regressed', 'Regressed'],
  ['new', 'New'],
  ['recurring', 'Recurring'],
  ['resolved', 'Resolved'],
] as const satisfies [Status, string][];

/** Findings by status; dismissed ones on request. */
export function FindingList({
  findings,
  noun,
  example,
  turn,
}: {
  findings: readonly ListedFinding[];
  noun: string;
  example: ReactNode;
  /** Dismisses or restores a finding. */
  turn: (finding: ListedFinding) => Promise<unknown>;
}) {
  const [dismissed, setDismissed] = useState(false);
  const shown = findings.filter(({ dismissedAt }) => dismissed || dismissedAt === null);
  const hidden = findings.filter(({ dismissedAt }) => dismissedAt !== null).length;
  return (
    <>
      <div className={css.head}>
        <Note>
          Charts show the share of sessions affected, {noun} by {noun}, 0 to 100%. Filled: counted as a
          finding.
        </Note>
        {hidden > 0 && (
          <Switch
            label={`Show ${counted(hidden, 'dismissed finding')}`}
            checked={dismissed}
            onChange={setDismissed}
          />
        )}
        {example}
      </div>
      {shown.length === 0 && <Note>All findings are dismissed.</Note>}
      {groups.map(([status, title]) => {
        const members = shown.filter((finding) => finding.status === status);
        return (
          members.length > 0 && (
            <Section key={status} title={`${title} (${members.length})`}>
              <ul className={css.multiples} aria-label={title}>
                <LimitedList items={members} noun="finding" rest="li">
                  {(finding) => <FindingCard key={finding.id} finding={finding} noun={noun} turn={turn} />}
                </LimitedList>
              </ul>
            </Section>
          )
        );
      })}
    </>
  );
}

function FindingCard({
  finding,
  noun,
  turn,
}: {
  finding: ListedFinding;
  noun: string;
  turn: (finding: ListedFinding) => Promise<unknown>;
}) {
  const { what, subject, status, occurrenceCount, lastSeenAt, dismissedAt, measured } = finding;
  const { state, word } = findingStates[status];
  const isDismissed = dismissedAt !== null;
  const turning = useAction(() => turn(finding), { says: isDismissed ? 'Restored' : 'Dismissed' });
  return (
    <li className={common.card}>
      <p className={css.what} title={what}>
        {what}
      </p>
      <p className={css.subject} title={subject.label}>
        <span className={common.soft}>{subject.kind}</span> <bdi>{subject.label}</bdi>
      </p>
      <WaveChart name={`${what}: ${subject.label}`} measured={measured} noun={noun} />
      <p className={css.facts}>
        <StateMark state={state}>{word}</StateMark>
        <span className={common.soft}>
          {counted(occurrenceCount, noun)}, last <Time at={lastSeenAt} />
        </span>
        <Button
          variant="quiet"
          action={turning}
          aria-label={`${isDismissed ? 'Restore' : 'Dismiss'}: ${what}, ${subject.label}`}
        >
          {isDismissed ? 'Restore' : 'Dismiss'}
        </Button>
      </p>
    </li>
  );
}
