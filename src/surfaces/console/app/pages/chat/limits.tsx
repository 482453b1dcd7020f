import { ask, useQueries, useQuery } from '../../api/index.ts';
import { Choices, Switch } from '../../kit/choices.tsx';
import { SelectField } from '../../kit/field.tsx';
import { Fold } from '../../kit/fold.tsx';
import form from '../../kit/form.module.css';
import { everythingListed } from '../servers/every-page.ts';
import css from './chat.module.css';
import type { Body } from './turn-state.ts';

export interface Limits {
  maxToolCalls: string;
  maxSteps: string;
  /** Undefined allows all tools of the chat. */
  tools: string[] | undefined;
  hostId: string;
  /** Whether the model may use the chat's browser. */
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
  serverIds: readonly string[];
  limits: Limits;
  setLimits: (limits: Limits) => void;
}) {
  const said = Object.keys(limitsBody(limits)).length;
  return (
    <Fold className={css.limits} summary={`Turn options${said > 0 ? ` (${said} set)` : ''}`}>
      {() => (
        <div className={form.form}>
          <div className={form.columns}>
            <SelectField
              label="Maximum tool calls"
              value={limits.maxToolCalls}
              options={[['', 'no limit'], ['0', '0: no tools'], ...upTo(1, 16)]}
              onChange={(value) => setLimits({ ...limits, maxToolCalls: value })}
            />
            <SelectField
              label="Maximum model calls"
              value={limits.maxSteps}
              options={[['', '8'], ...upTo(1, 16).filter(([value]) => value !== '8')]}
              onChange={(value) => setLimits({ ...limits, maxSteps: value })}
            />
            <ClientField
              projectId={projectId}
              value={limits.hostId}
              onChange={(hostId) => setLimits({ ...limits, hostId })}
            />
          </div>
          <Switch
            label="Let the model use this chat's browser; a read-only one opens if none is open"
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

/** Selects the client that the turn runs with. */
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
    <SelectField
      label="Client"
      hint={hint}
      value={value}
      disabled={disabled}
      options={[['', 'none'], ...(clients.data?.items ?? []).map(({ id, name }) => [id, name] as const)]}
      onChange={onChange}
    />
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
        legend="Allowed tools"
        choices={names.map((name) => ({ value: name, name }))}
        chosen={chosen ?? names}
        onChange={(next) => onChange(next.length === names.length ? undefined : next)}
        none={listed.some(({ isPending }) => isPending) ? 'Loading tools…' : 'This chat has no tools.'}
      />
      {unread > 0 && <span className={form.hint}>A server could not list its tools.</span>}
    </>
  );
}
