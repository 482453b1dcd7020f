import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DrydockError, type Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { downloadJson } from '../../kit/download.ts';
import { briefJson } from '../../kit/json.ts';
import { Empty, Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { type State, StateBadge, StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './servers.module.css';
import type { Which } from './which.ts';

type Check = Output<'checkServerContract'>;
type Difference = Check['differences'][number];

/** What users of the server rely on: kept as a baseline, and held against the server as it is. */
export function ContractTab({ which }: { which: Which }) {
  const baseline = useQuery(ask('getServerContractBaseline', which));
  const missing = baseline.error instanceof DrydockError && baseline.error.code === 'NOT_FOUND';
  const check = useMutation({ mutationFn: () => api.checkServerContract({ ...which, body: {} }) });
  const exporting = useMutation({
    mutationFn: () => api.exportServer({ ...which, body: {} }),
    onSuccess: (document) =>
      downloadJson(`${document.server?.name ?? which.serverId}-contract.json`, document),
    onError: complain,
  });
  return (
    <>
      <Section
        title="Baseline"
        actions={
          <>
            <Same operation="exportServer" input={{ ...which, body: {} }} />
            <Button busy={exporting.isPending} onClick={() => exporting.mutate()}>
              Export
            </Button>
          </>
        }
      >
        {baseline.isPending && <Skeleton lines={2} />}
        {baseline.isError && !missing && (
          <Problem error={baseline.error} retry={() => void baseline.refetch()} />
        )}
        {missing && (
          <Empty title="No baseline is saved" action={<SaveBaseline which={which} replaces={undefined} />}>
            Save what the server lists now. Later checks say what changed for those who use it: breaking
            first.
          </Empty>
        )}
        {baseline.data && <Saved which={which} baseline={baseline.data} />}
      </Section>
      {baseline.data && (
        <Section
          title="Check"
          actions={
            <>
              <Same operation="checkServerContract" input={{ ...which, body: {} }} />
              <Button look="primary" busy={check.isPending} onClick={() => check.mutate()}>
                Check against the baseline
              </Button>
            </>
          }
        >
          {check.isError && <Problem error={check.error} retry={() => check.mutate()} />}
          {check.data ? <Outcome check={check.data} /> : <Note>Not checked since this page was opened.</Note>}
        </Section>
      )}
    </>
  );
}

function Saved({ which, baseline }: { which: Which; baseline: Output<'getServerContractBaseline'> }) {
  const { export: kept, savedAt, hash } = baseline;
  const lists = [
    counted(kept.tools.length, 'tool'),
    counted(kept.prompts.length, 'prompt'),
    counted(kept.resources.length, 'resource'),
    counted(kept.resourceTemplates.length, 'template'),
  ];
  return (
    <div className={css.call}>
      <p>
        Saved <Time at={savedAt} /> with {lists.join(', ')}.{' '}
        <code className={css.quiet} title={hash}>
          {hash.slice(0, 19)}…
        </code>
      </p>
      <SaveBaseline which={which} replaces={savedAt} />
    </div>
  );
}

/** Saving over one loses what it said, so that is asked first. */
function SaveBaseline({ which, replaces }: { which: Which; replaces: number | undefined }) {
  const [asking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: () => api.setServerContractBaseline({ ...which, body: {} }),
    onSuccess: async () => {
      setAsking(false);
      say('Baseline saved');
      await queryClient.invalidateQueries(answersOf('getServerContractBaseline'));
    },
    onError: complain,
  });
  const verb = replaces === undefined ? 'Save baseline' : 'Replace baseline';
  return (
    <>
      <Button
        look={replaces === undefined ? 'primary' : 'plain'}
        busy={saving.isPending}
        onClick={() => (replaces === undefined ? saving.mutate() : setAsking(true))}
      >
        {verb}
      </Button>
      {asking && replaces !== undefined && (
        <Confirm
          onClose={() => setAsking(false)}
          title="Replace the baseline?"
          verb={verb}
          busy={saving.isPending}
          onConfirm={() => saving.mutate()}
          lost={
            <p>
              The baseline of <Time at={replaces} /> is lost. Everybody who checks this server, in CI too, is
              held against the server as it is now.
            </p>
          }
        />
      )}
    </>
  );
}

const impacts: Record<Difference['impact'], { state: State; words: string }> = {
  breaking: { state: 'failed', words: 'breaking' },
  risky: { state: 'inconclusive', words: 'risky' },
  safe: { state: 'passed', words: 'safe' },
};

function Outcome({ check }: { check: Check }) {
  const { result, counts, differences, truncated, current } = check;
  const nothing = counts.breaking + counts.risky + counts.safe === 0;
  return (
    <div className={css.differences}>
      <div className={css.resultHead}>
        <StateBadge state={result}>{nothing ? 'nothing changed' : result}</StateBadge>
        {!nothing && (
          <span>
            {counts.breaking} breaking, {counts.risky} risky, {counts.safe} safe
          </span>
        )}
        <span className={css.quiet}>
          checked <Time at={Date.parse(current.exportedAt)} />
        </span>
      </div>
      {differences.map((one, at) => (
        <div key={at} className={css.difference}>
          <StateMark state={impacts[one.impact].state}>{impacts[one.impact].words}</StateMark>
          <div>
            <strong>{one.subject}</strong>: {one.message}
            <div className={css.quiet}>
              <code>{one.pointer}</code>
            </div>
          </div>
          {(one.before !== undefined || one.after !== undefined) && (
            <div className={css.change}>
              <code>{shown(one.before)}</code>
              <code>{shown(one.after)}</code>
            </div>
          )}
        </div>
      ))}
      {truncated && <Note>There are more than are listed; the counts have all of them.</Note>}
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'not there';
  return typeof value === 'string' ? cut(value, 500) : briefJson(value, 500);
}
