import { useQueries, useQuery } from '@tanstack/react-query';
import { ask } from '../../api/ask.ts';
import { Choices, Switch } from '../../kit/choices.tsx';
import { Field, Select } from '../../kit/field.tsx';
import { Fold } from '../../kit/fold.tsx';
import form from '../../kit/form.module.css';
import { everythingListed } from '../servers/every-page.ts';
import css from './chat.module.css';
import type { Body } from './turn-state.ts';

/** What is said about one turn only. */
export interface Limits {
  maxToolCalls: string;
  maxSteps: string;
  /** All that the chat offers, when it is undefined. */
  tools: string[] | undefined;
  hostId: string;
  /** Whether the model may use the browser of the chat. */
  browser: boolean;
}

export const noLimits: Limits = {
  maxToolCalls: '',
  maxSteps: '',
  tools: undefined,
  hostId: '',
  browser: false,
};

export function limitsBody({ maxToolCalls, maxSteps, tools, hostId, browser }: Limits): Partial<Body> {
  return {
    ...(maxToolCalls !== '' && { maxToolCalls: Number(maxToolCalls) }),
    ...(maxSteps !== '' && { maxSteps: Number(maxSteps) }),
    ...(tools && { allowedTools: tools }),
    ...(hostId !== '' && { hostId }),
    ...(browser && { browser: {} }),
  };
}

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => [String(first + at), String(first + at)] as const);

export function TurnLimits({
  projectId,
  serverIds,
  limits,
  setLimits,
}: {
  projectId: string;
  /** Whose tools there are to choose from. */
  serverIds: readonly string[];
  limits: Limits;
  setLimits: (limits: Limits) => void;
}) {
  const said = Object.keys(limitsBody(limits)).length;
  return (
    <Fold className={css.limits} summary={`Only for the next turn${said > 0 ? ` (${said} said)` : ''}`}>
      {() => (
        <div className={form.form}>
          <div className={form.columns}>
            <Field label="Tool calls, at most">
              <Select
                value={limits.maxToolCalls}
                onChange={({ target }) => setLimits({ ...limits, maxToolCalls: target.value })}
                options={[['', 'no limit'], ['0', '0: no tools'], ...upTo(1, 16)]}
              />
            </Field>
            <Field label="Calls of the model, at most">
              <Select
                value={limits.maxSteps}
                onChange={({ target }) => setLimits({ ...limits, maxSteps: target.value })}
                options={[['', '8'], ...upTo(1, 16).filter(([value]) => value !== '8')]}
              />
            </Field>
            <ClientField
              projectId={projectId}
              value={limits.hostId}
              onChange={(hostId) => setLimits({ ...limits, hostId })}
            />
          </div>
          <Switch
            label="The model may use the browser of this chat; where none is open, one that only looks is opened"
            checked={limits.browser}
            onChange={(browser) => setLimits({ ...limits, browser })}
          />
          <ToolChoices
            projectId={projectId}
            serverIds={serverIds}
            chosen={limits.tools}
            onChange={(tools) => setLimits({ ...limits, tools })}
          />
        </div>
      )}
    </Fold>
  );
}

/** The client to speak as. */
export function ClientField({
  projectId,
  value,
  onChange,
  hint,
  disabled = false,
}: {
  projectId: string;
  value: string;
  onChange: (id: string) => void;
  hint?: string;
  disabled?: boolean;
}) {
  const clients = useQuery(ask('listClients', { projectId }));
  return (
    <Field label="Client" hint={hint}>
      <Select
        value={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.value)}
        options={[['', 'none'], ...(clients.data?.items ?? []).map(({ id, name }) => [id, name] as const)]}
      />
    </Field>
  );
}

function ToolChoices({
  projectId,
  serverIds,
  chosen,
  onChange,
}: {
  projectId: string;
  serverIds: readonly string[];
  chosen: string[] | undefined;
  onChange: (tools: string[] | undefined) => void;
}) {
  const listed = useQueries({
    queries: serverIds.map((serverId) => everythingListed('listTools', { projectId, serverId })),
  });
  const names = [...new Set(listed.flatMap(({ data }) => data?.items.map(({ name }) => name) ?? []))];
  const unread = listed.filter(({ isError }) => isError).length;
  return (
    <>
      <Choices
        legend="Tools that may be offered"
        choices={names.map((name) => ({ value: name, name }))}
        chosen={chosen ?? names}
        onChange={(next) => onChange(next.length === names.length ? undefined : next)}
        none={listed.some(({ isPending }) => isPending) ? 'Asking the servers …' : 'The chat has no tools.'}
      />
      {unread > 0 && <span className={form.hint}>A server did not list its tools.</span>}
    </>
  );
}
