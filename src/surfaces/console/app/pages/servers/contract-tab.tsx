import { api, ask, type Output, useAction, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { ConfirmButton } from '../../kit/confirm.tsx';
import { downloadJson } from '../../kit/download.ts';
import { briefJson } from '../../kit/json.ts';
import { Empty, Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { QueryError, QueryState } from '../../kit/query-state.tsx';
import { type State, StateBadge, StateMark } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';
import { Time } from '../../kit/time.tsx';
import type { ServerRef } from './address.ts';
import css from './servers.module.css';

type Check = Output<'checkServerContract'>;
type Difference = Check['differences'][number];

export function ContractTab({ which }: { which: ServerRef }) {
  const baseline = useQuery(ask('getServerContractBaseline', which));
  const check = useSubmit(() => api.checkServerContract({ ...which, body: {} }));
  const exporting = useAction(() => api.exportServer({ ...which, body: {} }), {
    onDone: (document) => downloadJson(`${document.server?.name ?? which.serverId}-contract.json`, document),
  });
  return (
    <>
      <Section
        title="Baseline"
        actions={
          <>
            <ApiExample operation="exportServer" input={{ ...which, body: {} }} />
            <Button action={exporting}>Export</Button>
          </>
        }
      >
        <QueryState
          of={baseline}
          lines={2}
          missing={
            <Empty title="No baseline" action={<SaveBaseline which={which} replaces={undefined} />}>
              Save the server's current contract. Later checks compare against it and list breaking changes
              first.
            </Empty>
          }
        />
        {baseline.data && <Saved which={which} baseline={baseline.data} />}
      </Section>
      {baseline.data && (
        <Section
          title="Check"
          actions={
            <>
              <ApiExample operation="checkServerContract" input={{ ...which, body: {} }} />
              <Button variant="primary" action={check}>
                Compare with baseline
              </Button>
            </>
          }
        >
          <QueryError of={{ ...check, refetch: check.mutate }} />
          {check.data ? <Outcome check={check.data} /> : <Note>Not checked since this page was opened.</Note>}
        </Section>
      )}
    </>
  );
}

function Saved({ which, baseline }: { which: ServerRef; baseline: Output<'getServerContractBaseline'> }) {
  const { export: kept, savedAt, hash } = baseline;
  const lists = [
    counted(kept.tools.length, 'tool'),
    counted(kept.prompts.length, 'prompt'),
    counted(kept.resources.length, 'resource'),
    counted(kept.resourceTemplates.length, 'template'),
  ];
  return (
    <div className={common.wideRow}>
      <p>
        Saved <Time at={savedAt} /> with {lists.join(', ')}.{' '}
        <code className={common.soft} title={hash}>
          {hash.slice(0, 19)}…
        </code>
      </p>
      <SaveBaseline which={which} replaces={savedAt} />
    </div>
  );
}

/** Replacing a baseline deletes the old one, so it is confirmed first. */
function SaveBaseline({ which, replaces }: { which: ServerRef; replaces: number | undefined }) {
  const save = () => api.setServerContractBaseline({ ...which, body: {} });
  const saving = useAction(save, { says: 'Baseline saved' });
  if (replaces === undefined)
    return (
      <Button variant="primary" action={saving}>
        Save baseline
      </Button>
    );
  return (
    <ConfirmButton
      label="Replace baseline"
      question="Replace the baseline?"
      write={save}
      says="Baseline saved"
    >
      <p>
        The baseline of <Time at={replaces} /> is deleted. All later checks, including CI, compare with the
        server's current contract.
      </p>
    </ConfirmButton>
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
    <div className={common.column}>
      <div className={common.wideRow}>
        <StateBadge state={result}>{nothing ? 'no changes' : result}</StateBadge>
        {!nothing && (
          <span>
            {counts.breaking} breaking, {counts.risky} risky, {counts.safe} safe
          </span>
        )}
        <span className={common.soft}>
          checked <Time at={Date.parse(current.exportedAt)} />
        </span>
      </div>
      {differences.map((one, at) => (
        <div key={at} className={css.difference}>
          <StateMark state={impacts[one.impact].state}>{impacts[one.impact].words}</StateMark>
          <div>
            <strong>{one.subject}</strong>: {one.message}
            <div className={common.soft}>
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
      {truncated && <Note>Only some changes are listed; the counts include all.</Note>}
    </div>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? cut(value, 500) : briefJson(value, 500);
}
