import {
  api,
  ask,
  askPages,
  keepPreviousData,
  type Output,
  useInfiniteQuery,
  useQuery,
} from '../../api/index.ts';
import { isNotFound } from '../../api/problem.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { LimitedList } from '../../kit/limited-list.tsx';
import { Empty, Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { Time } from '../../kit/time.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';
import { detectorOf, detectorText } from '../swarms/finding-labels.ts';
import { FindingList, type ListedFinding } from '../swarms/finding-list.tsx';
import { insightsIn } from '../swarms/run/candidates.ts';
import { CandidateLine } from '../swarms/run/found.tsx';
import swarms from '../swarms/swarms.module.css';
import { Evidence } from './evidence.tsx';
import { Insights } from './insights.tsx';
import type { Study } from './study.ts';

type Signals = Output<'getStudySignals'>;

/** Poll interval in milliseconds for new analysis results. */
const pollEvery = 5_000;

/** Signals of the last seven days, insights from a model, and recurring findings. */
export function FindingsTab({ study }: { study: Study }) {
  const which = { projectId: study.projectId, studyId: study.id };
  const signals = useQuery({
    ...ask('getStudySignals', which),
    refetchInterval: ({ state }) => (isNotFound(state.error) || state.data?.dataStale ? pollEvery : false),
  });
  if (isNotFound(signals.error))
    return (
      <Empty title="Not analyzed yet">
        Sessions are analyzed a few seconds after visitors chat: failed tools, missing replies, repeated
        questions, thumbs down.
      </Empty>
    );
  return (
    <>
      <Section title="Last seven days" actions={<ApiExample operation="getStudySignals" input={which} />}>
        <QueryState of={signals} lines={4} />
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

interface StudyRef {
  projectId: string;
  studyId: string;
}

function StandsOut({ which, signals }: { which: StudyRef; signals: Signals }) {
  const { sessionCount, feedbackCount, windowStartAt, windowEndAt, analysedAt } = signals;
  const { candidates } = insightsIn(signals);
  return (
    <>
      <p className={common.soft}>
        {counted(sessionCount, 'session')} and {counted(feedbackCount, 'thumb')} from{' '}
        <Time at={windowStartAt} /> to <Time at={windowEndAt} />, counted <Time at={analysedAt} />.
        {signals.dataStale && ' Newer sessions are being analyzed.'}
        {signals.lowConfidence && ' Few sessions: treat as indicative.'}
      </p>
      {candidates.length === 0 && <Note>No signals.</Note>}
      {candidates.length > 0 && (
        <ul className={swarms.found} aria-label="Signals">
          <LimitedList items={candidates} noun="signal" rest="li">
            {(candidate) => (
              <CandidateLine key={candidate.key} candidate={candidate}>
                {(sessionIds) => <Evidence which={which} sessionIds={sessionIds} />}
              </CandidateLine>
            )}
          </LimitedList>
        </ul>
      )}
      {signals.truncated && <Note>Not all sessions were analyzed.</Note>}
    </>
  );
}

function Findings({ which, analysedAt }: { which: StudyRef; analysedAt: number }) {
  const asked = askPages('listStudyFindings', { ...which, limit: 200 });
  const findings = useEveryPage(
    // Each analysis may change the findings; the previous ones stay visible until they are refetched.
    useInfiniteQuery({
      ...asked,
      queryKey: [...asked.queryKey, analysedAt],
      placeholderData: keepPreviousData,
    }),
  );
  const items = findings.data?.items ?? [];
  const turn = async ({ id: findingId, dismissedAt }: ListedFinding): Promise<void> => {
    await (dismissedAt === null
      ? api.dismissStudyFinding({ ...which, findingId })
      : api.undismissStudyFinding({ ...which, findingId }));
  };
  if (!findings.isSuccess) return <QueryState of={findings} lines={4} />;
  if (items.length === 0) return <Note>No findings yet.</Note>;
  return (
    <FindingList
      findings={items.map(({ fingerprint, windows, ...finding }) => ({
        ...finding,
        what: detectorText(detectorOf(fingerprint)),
        measured: windows.map(({ windowId, affected, total, fired }) => ({
          id: windowId,
          affected,
          total,
          fired,
        })),
      }))}
      noun="week"
      example={<ApiExample operation="listStudyFindings" input={which} />}
      turn={turn}
    />
  );
}
