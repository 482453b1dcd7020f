import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Output, useQuery, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { TextField } from '../../kit/field.tsx';
import { SubmitError } from '../../kit/form-dialog.tsx';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { Empty } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { cut } from '../../kit/text.ts';
import type { ServerRef } from './address.ts';
import { everythingListed } from './every-page.ts';
import { ItemList } from './item-list.tsx';
import { Contents } from './result.tsx';
import css from './servers.module.css';

type Prompt = Output<'listPrompts'>['items'][number];

export function PromptsTab({ which }: { which: ServerRef }) {
  const { item } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const prompts = useQuery(everythingListed('listPrompts', which));
  if (!prompts.isSuccess) return <QueryState of={prompts} lines={6} />;
  const { items, more } = prompts.data;
  if (items.length === 0) return <Empty title="No prompts" />;
  const prompt = items.find(({ name }) => name === item) ?? items[0];
  return (
    <div className={css.split}>
      <ItemList
        which={which}
        tab="prompts"
        noun="prompt"
        items={items.map(({ name, description }) => ({ key: name, name, description }))}
        more={more}
        chosen={prompt?.name}
      />
      {prompt && <PromptReader key={prompt.name} which={which} prompt={prompt} />}
    </div>
  );
}

function PromptReader({ which, prompt }: { which: ServerRef; prompt: Prompt }) {
  const [given, setGiven] = useState<ReadonlyMap<string, string>>(new Map());
  const filled = Object.fromEntries([...given].filter(([, value]) => value !== ''));
  const body = { promptName: prompt.name, arguments: filled };
  const rendering = useSubmit(() => api.getPrompt({ ...which, body }));
  return (
    <section className={common.panel} aria-label={`Prompt ${prompt.name}`}>
      <div>
        <h2>
          <code>{cut(prompt.name)}</code>
        </h2>
        {prompt.description && <LongText className={common.description} text={prompt.description} />}
      </div>
      <LimitedList items={prompt.arguments ?? []} noun="argument">
        {({ name, description, required }, at) => (
          <TextField
            key={at}
            label={<code>{cut(name)}</code>}
            required={required === true}
            hint={description && cut(description, 500)}
            value={given.get(name) ?? ''}
            onChange={(text) => setGiven(new Map([...given, [name, text]]))}
          />
        )}
      </LimitedList>
      <div className={common.wideRow}>
        <Button variant="primary" action={rendering}>
          Render prompt
        </Button>
        <ApiExample operation="getPrompt" input={{ ...which, body }} />
      </div>
      <SubmitError of={rendering} />
      {rendering.data && (
        <LimitedList items={rendering.data.messages ?? []} noun="message">
          {({ role, content }, at) => (
            <div key={at}>
              <h3>{role}</h3>
              <Contents content={Array.isArray(content) ? content : [content]} />
            </div>
          )}
        </LimitedList>
      )}
    </section>
  );
}
