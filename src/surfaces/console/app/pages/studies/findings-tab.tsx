import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Few } from '../../kit/few.tsx';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';
import { FindingList, type ListedFinding } from '../swarms/finding-list.tsx';
import { detectorOf, detectorWords } from '../swarms/finding-words.ts';
import { insightsIn } from '../swarms/run/candidates.ts';
import { CandidateLine } from '../swarms/run/found.tsx';
import swarms from '../swarms/swarms.module.css';
import { Evidence } from './evidence.tsx';
import { Insights } from './insights.tsx';
import css from './studies.module.css';
import { isMissing, type Study } from './study.ts';

type Signals = Output<'getStudySignals'>;

/** How often it is looked whether more was analysed. */
const pollEvery = 5_000;

/** What stands out in the latest seven days, what a model makes of it, and what keeps going wrong. */
export function FindingsTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const signals = useQuery({
    ...ask('getStudySignals', which),
    refetchInterval: ({ state }) => (isMissing(state.error) || state.data?.dataStale ? pollEvery : false),
  });
  if (isMissing(signals.error))
    return (
      <Empty title="Nothing was analysed yet">
        Some seconds after a visitor has said something it is counted what went wrong: tools that fail,
        messages without a reply, questions that are asked again, thumbs down.
      </Empty>
    );
  return (
    <>
      <Section title="The latest seven days" actions={<Same operation="getStudySignals" input={which} />}>
        {signals.isPending && <Skeleton lines={4} />}
        {signals.isError && <Problem error={signals.error} retry={() => void signals.refetch()} />}
        {signals.data && <StandsOut which={which} signals={signals.data} />}
      </Section>
      {signals.data && (
        <>
          <Insights which={which} signals={signals.data} />
          <Section title="Findings">
            <Findings which={which} analysedAt={signals.data.analysedAt} />
          </Section>
        </>
      )}
    </>
  );
}

interface Which {
  projectId: string;
  studyId: string;
}

function StandsOut({ which, signals }: { which: Which; signals: Signals }) {
  const { sessionCount, feedbackCount, windowStartAt, windowEndAt, analysedAt } = signals;
  const { candidates } = insightsIn(signals);
  return (
    <>
      <p className={css.soft}>
        {counted(sessionCount, 'session')} and {counted(feedbackCount, 'thumb')} from{' '}
        <Time at={windowStartAt} /> to <Time at={windowEndAt} />, counted <Time at={analysedAt} />.
        {signals.dataStale && ' More has happened since and is being counted.'}
        {signals.lowConfidence && ' There are few sessions, so take it as a hint.'}
      </p>
      {candidates.length === 0 && <Note>Nothing stands out.</Note>}
      {candidates.length > 0 && (
        <ul className={swarms.found} aria-label="What stands out">
          <Few items={candidates} noun="signal" rest="li">
            {(candidate) => (
              <CandidateLine key={candidate.key} candidate={candidate}>
                {(sessionIds) => <Evidence which={which} sessionIds={sessionIds} />}
              </CandidateLine>
            )}
          </Few>
        </ul>
      )}
      {signals.truncated && <Note>There was more than was looked at.</Note>}
    </>
  );
}

/** What keeps going wrong, each over the windows that could show it. */
function Findings({ which, analysedAt }: { which: Which; analysedAt: number }) {
  const asked = askPages('listStudyFindings', { ...which, limit: 200 });
  const findings = useEveryPage(
    // Each analysis may change them; those of the last one stand there until they are read.
    useInfiniteQuery({
      ...asked,
      queryKey: [...asked.queryKey, analysedAt],
      placeholderData: keepPreviousData,
    }),
  );
  const queryClient = useQueryClient();
  const items = findings.data?.pages.flatMap((page) => page.items) ?? [];
  const turn = async ({ id: findingId, dismissedAt }: ListedFinding): Promise<void> => {
    await (dismissedAt === null
      ? api.dismissStudyFinding({ ...which, findingId })
      : api.undismissStudyFinding({ ...which, findingId }));
    await queryClient.invalidateQueries(answersOf('listStudyFindings'));
  };
  if (findings.isError) return <Problem error={findings.error} retry={() => void findings.refetch()} />;
  if (findings.isPending) return <Skeleton lines={4} />;
  if (items.length === 0) return <Note>Nothing was found so far.</Note>;
  return (
    <FindingList
      findings={items.map(({ fingerprint, windows, ...finding }) => ({
        ...finding,
        what: detectorWords(detectorOf(fingerprint)),
        measured: windows.map(({ windowId, affected, total, fired }) => ({
          id: windowId,
          affected,
          total,
          fired,
        })),
      }))}
      noun="week"
      same={<Same operation="listStudyFindings" input={which} />}
      turn={turn}
    />
  );
}
