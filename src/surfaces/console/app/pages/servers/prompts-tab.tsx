import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../../../client/index.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Few } from '../../kit/few.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { cut } from '../../kit/text.ts';
import { Same } from '../../same/same.tsx';
import { everythingListed } from './every-page.ts';
import { ItemList } from './item-list.tsx';
import { Contents } from './result.tsx';
import css from './servers.module.css';
import type { Which } from './which.ts';

type Prompt = Output<'listPrompts'>['items'][number];

export function PromptsTab({ which }: { which: Which }) {
  const { item } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const prompts = useQuery(everythingListed('listPrompts', which));
  if (prompts.isError) return <Problem error={prompts.error} retry={() => void prompts.refetch()} />;
  if (!prompts.data) return <Skeleton lines={6} />;
  const { items, more } = prompts.data;
  if (items.length === 0) return <Empty title="The server lists no prompts" />;
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

function PromptReader({ which, prompt }: { which: Which; prompt: Prompt }) {
  const [given, setGiven] = useState<ReadonlyMap<string, string>>(new Map());
  const filled = Object.fromEntries([...given].filter(([, value]) => value !== ''));
  const body = { promptName: prompt.name, arguments: filled };
  const rendering = useMutation({ mutationFn: () => api.getPrompt({ ...which, body }) });
  return (
    <section className={css.panel} aria-label={`Prompt ${prompt.name}`}>
      <div>
        <h2>
          <code>{cut(prompt.name)}</code>
        </h2>
        {prompt.description && <LongText className={css.description} text={prompt.description} />}
      </div>
      <Few items={prompt.arguments ?? []} noun="argument">
        {({ name, description, required }, at) => (
          <Field
            key={at}
            label={<code>{cut(name)}</code>}
            needed={required === true}
            hint={description && cut(description, 500)}
          >
            <TextInput
              value={given.get(name) ?? ''}
              onChange={(event) => setGiven(new Map([...given, [name, event.target.value]]))}
            />
          </Field>
        )}
      </Few>
      <div className={css.call}>
        <Button look="primary" busy={rendering.isPending} onClick={() => rendering.mutate()}>
          Render prompt
        </Button>
        <Same operation="getPrompt" input={{ ...which, body }} />
      </div>
      {rendering.isError && <Problem error={rendering.error} />}
      {rendering.data && (
        <Few items={rendering.data.messages ?? []} noun="message">
          {({ role, content }, at) => (
            <div key={at}>
              <h3>{role}</h3>
              <Contents content={Array.isArray(content) ? content : [content]} />
            </div>
          )}
        </Few>
      )}
    </section>
  );
}
