import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Fold } from '../../kit/fold.tsx';
import { type Typed, typedFrom } from '../../kit/form/json-side.tsx';
import { asSchema } from '../../kit/form/schema.ts';
import { LongText } from '../../kit/long-text.tsx';
import { Empty, Problem } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { cut } from '../../kit/text.ts';
import { RenderedWidget } from '../widgets/rendered-widget.tsx';
import { namesWidget, useRendering } from '../widgets/use-rendering.ts';
import type { ServerRef } from './address.ts';
import { BothSides } from './both-sides.tsx';
import { CallsList } from './calls/calls-list.tsx';
import { began, ended, forget, type ToolCall, useCalls } from './calls/history.ts';
import { SaveCase } from './calls/save-case.tsx';
import { everythingListed } from './every-page.ts';
import { ItemList } from './item-list.tsx';
import { ToolResult } from './result.tsx';
import css from './servers.module.css';

type Tool = Output<'listTools'>['items'][number];

export function ToolsTab({ which }: { which: ServerRef }) {
  const { item } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const tools = useQuery(everythingListed('listTools', which));
  const [shownId, setShown] = useState<number>();
  if (!tools.isSuccess) return <QueryState of={tools} lines={6} />;
  const { items, more } = tools.data;
  if (items.length === 0) return <Empty title="No tools" />;
  const tool = items.find(({ name }) => name === item) ?? items[0];
  return (
    <div className={css.split}>
      <ItemList
        which={which}
        tab="tools"
        noun="tool"
        items={items.map(({ name, description }) => ({ key: name, name, description }))}
        more={more}
        chosen={tool?.name}
      />
      {tool && <ToolRunner key={tool.name} which={which} tool={tool} shownId={shownId} setShown={setShown} />}
    </div>
  );
}

/** Calls one tool. Calls stay listed until the tab closes. */
function ToolRunner({
  which,
  tool,
  shownId,
  setShown,
}: {
  which: ServerRef;
  tool: Tool;
  /** The call whose result is shown on the page of its tool. */
  shownId: number | undefined;
  setShown: (id: number) => void;
}) {
  const schema = asSchema(tool.inputSchema) ?? {};
  const calls = useCalls(which.serverId);
  const shown = calls.find(({ id, toolName }) => id === shownId && toolName === tool.name);
  const [given, setGiven] = useState<Typed>(() => typedFrom(shown?.parameters ?? {}));
  const [saving, setSaving] = useState<ToolCall>();
  const ending = useRef<AbortController>(undefined);
  const navigate = useNavigate({ from: '/projects/$projectId/servers/$serverId' });
  const running = useSubmit(async (body: { toolName: string; parameters: Record<string, unknown> }) => {
    const { signal } = (ending.current = new AbortController());
    const id = began({ serverId: which.serverId, ...body });
    setShown(id);
    try {
      ended(id, {
        result: await api.callTool({ ...which, body: { ...body, includeFrames: true } }, { signal }),
      });
    } catch (error) {
      if (signal.aborted) forget(id);
      else ended(id, { error });
    }
  });
  const rendering = useRendering(which);
  /** Copies the arguments of a call into the form, on the page of its tool. */
  const take = (call: ToolCall): void => {
    setShown(call.id);
    if (call.toolName === tool.name) setGiven(typedFrom(call.parameters));
    else void navigate({ search: { tab: 'tools', item: call.toolName } });
  };
  const again = (call: ToolCall): void => {
    take(call);
    running.mutate({ toolName: call.toolName, parameters: call.parameters });
  };
  const hints = Object.entries((tool['annotations'] ?? {}) as Record<string, unknown>).filter(
    ([name, value]) => name.endsWith('Hint') && value === true,
  );
  const body = { toolName: tool.name, parameters: given.value };
  return (
    <section className={common.panel} aria-label={`Tool ${tool.name}`}>
      <div>
        <h2>
          <code>{cut(tool.name)}</code>
        </h2>
        {tool.description && <LongText className={common.description} text={tool.description} />}
        {hints.length > 0 && (
          <p className={common.soft}>
            Declares: {hints.map(([name]) => hintLabels[name] ?? name).join(', ')}.
          </p>
        )}
      </div>
      <BothSides schema={schema} given={given} onChange={setGiven} />
      <div className={common.wideRow}>
        <Button
          variant="primary"
          busy={running.isPending}
          disabled={given.problem !== undefined}
          onClick={() => running.mutate(body)}
        >
          {running.isPending ? 'Calling…' : 'Call tool'}
        </Button>
        {running.isPending && <Button onClick={() => ending.current?.abort()}>Stop waiting</Button>}
        {namesWidget(tool) && (
          <Button
            busy={rendering.isPending}
            disabled={given.problem !== undefined}
            onClick={() => rendering.start(body)}
          >
            {rendering.isPending ? 'Rendering…' : 'Render widget'}
          </Button>
        )}
        {rendering.isPending && <Button onClick={rendering.stop}>Stop rendering</Button>}
        <ApiExample operation="callTool" input={{ ...which, body }} />
      </div>
      <div className={css.outcomes} aria-live="polite">
        {shown?.error !== undefined && <Problem error={shown.error} />}
        {shown?.result && (
          <ToolResult
            result={shown.result}
            actions={<Button onClick={() => setSaving(shown)}>Save as eval case</Button>}
          />
        )}
        <RenderedWidget which={which} rendering={rendering} />
      </div>
      {calls.length > 0 && <CallsList calls={calls} shown={shownId} onShow={take} onAgain={again} />}
      <Fold summary="Tool definition">{() => <Json value={tool} label="tool definition" />}</Fold>
      {saving && <SaveCase which={which} call={saving} onClose={() => setSaving(undefined)} />}
    </section>
  );
}

const hintLabels: Record<string, string> = {
  readOnlyHint: 'read-only',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'open world',
};
