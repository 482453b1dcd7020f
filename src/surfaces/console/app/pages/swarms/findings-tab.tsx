import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { answersOf, askPages } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { Same } from '../../same/same.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';
import { FindingList, type ListedFinding } from './finding-list.tsx';
import { detectorOf, detectorWords } from './finding-words.ts';

/** What keeps going wrong, each over the waves that could show it. */
export function FindingsTab({ projectId }: { projectId: string }) {
  const findings = useEveryPage(useInfiniteQuery(askPages('listSwarmFindings', { projectId, limit: 200 })));
  const queryClient = useQueryClient();
  const items = findings.data?.pages.flatMap((page) => page.items) ?? [];
  const turn = async ({ id: findingId, dismissedAt }: ListedFinding): Promise<void> => {
    await (dismissedAt === null
      ? api.dismissSwarmFinding({ projectId, findingId })
      : api.undismissSwarmFinding({ projectId, findingId }));
    await queryClient.invalidateQueries(answersOf('listSwarmFindings'));
  };
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
    <FindingList
      findings={items.map(({ fingerprint, waves, ...finding }) => ({
        ...finding,
        what: detectorWords(detectorOf(fingerprint)),
        measured: waves.map(({ waveId, ...wave }) => ({ ...wave, id: waveId })),
      }))}
      noun="wave"
      same={<Same operation="listSwarmFindings" input={{ projectId }} />}
      turn={turn}
    />
  );
}
