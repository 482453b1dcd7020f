import { api, askPages, useInfiniteQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Empty } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { useEveryPage } from '../chat/use-every-page.ts';
import { detectorOf, detectorText } from './finding-labels.ts';
import { FindingList, type ListedFinding } from './finding-list.tsx';

export function FindingsTab({ projectId }: { projectId: string }) {
  const findings = useEveryPage(useInfiniteQuery(askPages('listSwarmFindings', { projectId, limit: 200 })));
  const items = findings.data?.items ?? [];
  const turn = async ({ id: findingId, dismissedAt }: ListedFinding): Promise<void> => {
    await (dismissedAt === null
      ? api.dismissSwarmFinding({ projectId, findingId })
      : api.undismissSwarmFinding({ projectId, findingId }));
  };
  if (!findings.isSuccess) return <QueryState of={findings} lines={8} />;
  if (items.length === 0)
    return (
      <Empty title="No findings">
        Each wave of runs is analyzed for unmet criteria, tool errors and aborted sessions. Findings are
        tracked here from wave to wave.
      </Empty>
    );
  return (
    <FindingList
      findings={items.map(({ fingerprint, waves, ...finding }) => ({
        ...finding,
        what: detectorText(detectorOf(fingerprint)),
        measured: waves.map(({ waveId, ...wave }) => ({ ...wave, id: waveId })),
      }))}
      noun="wave"
      example={<ApiExample operation="listSwarmFindings" input={{ projectId }} />}
      turn={turn}
    />
  );
}
