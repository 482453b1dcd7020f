import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { answersOf, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choices.tsx';
import { Few } from '../../kit/few.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';
import { detectorOf, detectorWords, findingStates } from './finding-words.ts';
import css from './findings.module.css';
import { WaveChart } from './wave-chart.tsx';

type Finding = Output<'listSwarmFindings'>['items'][number];

const groups = [
  ['regressed', 'Back again'],
  ['new', 'New'],
  ['recurring', 'Recurring'],
  ['resolved', 'Resolved'],
] as const satisfies [Finding['status'], string][];

/** What keeps going wrong, each over the waves that could show it. */
export function FindingsTab({ projectId }: { projectId: string }) {
  const findings = useEveryPage(useInfiniteQuery(askPages('listSwarmFindings', { projectId, limit: 200 })));
  const [dismissed, setDismissed] = useState(false);
  const items = findings.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = items.filter(({ dismissedAt }) => dismissed || dismissedAt === null);
  const hidden = items.filter(({ dismissedAt }) => dismissedAt !== null).length;
  if (findings.isError) return <Problem error={findings.error} retry={() => void findings.refetch()} />;
  if (findings.isPending) return <Skeleton lines={8} />;
  if (items.length === 0)
    return (
      <Empty title="Nothing was found">
        After each wave of runs it is counted what went wrong: criteria that are not met, tools that err,
        sessions that break off. What turns up is followed here from wave to wave.
      </Empty>
    );
  return (
    <>
      <div className={css.head}>
        <Note>
          Each chart: the share of sessions affected, wave by wave, from 0 to 100 %. Filled where it counts as
          found.
        </Note>
        {hidden > 0 && (
          <Switch
            label={`Show ${counted(hidden, 'dismissed one')}`}
            checked={dismissed}
            onChange={setDismissed}
          />
        )}
        <Same operation="listSwarmFindings" input={{ projectId }} />
      </div>
      {shown.length === 0 && <Note>All of them were dismissed.</Note>}
      {groups.map(([status, title]) => {
        const members = shown.filter((finding) => finding.status === status);
        return (
          members.length > 0 && (
            <Section key={status} title={`${title} (${members.length})`}>
              <ul className={css.multiples} aria-label={title}>
                <Few items={members} noun="finding" rest="li">
                  {(finding) => <FindingCard key={finding.id} projectId={projectId} finding={finding} />}
                </Few>
              </ul>
            </Section>
          )
        );
      })}
    </>
  );
}

function FindingCard({ projectId, finding }: { projectId: string; finding: Finding }) {
  const {
    id: findingId,
    fingerprint,
    subject,
    status,
    occurrenceCount,
    lastSeenAt,
    dismissedAt,
    waves,
  } = finding;
  const { state, word } = findingStates[status];
  const queryClient = useQueryClient();
  const isDismissed = dismissedAt !== null;
  const turning = useMutation({
    mutationFn: () =>
      isDismissed
        ? api.undismissSwarmFinding({ projectId, findingId })
        : api.dismissSwarmFinding({ projectId, findingId }),
    onSuccess: async () => {
      say(isDismissed ? 'Shown again' : 'Dismissed');
      await queryClient.invalidateQueries(answersOf('listSwarmFindings'));
    },
    onError: complain,
  });
  const what = detectorWords(detectorOf(fingerprint));
  return (
    <li className={css.finding}>
      <p className={css.what} title={what}>
        {what}
      </p>
      <p className={css.subject} title={subject.label}>
        <span className={css.soft}>{subject.kind}</span> <bdi>{subject.label}</bdi>
      </p>
      <WaveChart name={`${what}: ${subject.label}`} waves={waves} />
      <p className={css.facts}>
        <StateMark state={state}>{word}</StateMark>
        <span className={css.soft}>
          {counted(occurrenceCount, 'wave')}, last <Time at={lastSeenAt} />
        </span>
        <Button
          look="quiet"
          busy={turning.isPending}
          aria-label={`${isDismissed ? 'Show again' : 'Dismiss'}: ${what}, ${subject.label}`}
          onClick={() => turning.mutate()}
        >
          {isDismissed ? 'Show again' : 'Dismiss'}
        </Button>
      </p>
    </li>
  );
}
