import { useSearch } from '@tanstack/react-router';
import { ask, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import common from '../../kit/common.module.css';
import { Empty } from '../../kit/notice.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import type { ServerRef } from './address.ts';
import { everythingListed } from './every-page.ts';
import { ItemList } from './item-list.tsx';
import { Contents } from './result.tsx';
import css from './servers.module.css';

export function ResourcesTab({ which }: { which: ServerRef }) {
  const { item } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const resources = useQuery(everythingListed('listResources', which));
  if (!resources.isSuccess) return <QueryState of={resources} lines={6} />;
  const { items, more } = resources.data;
  if (items.length === 0) return <Empty title="No resources" />;
  const chosen = items.find(({ uri }) => uri === item) ?? items[0];
  return (
    <div className={css.split}>
      <ItemList
        which={which}
        tab="resources"
        noun="resource"
        items={items.map((one) => ({ key: one.uri, name: nameOf(one), description: one.uri }))}
        more={more}
        chosen={chosen?.uri}
      />
      {chosen && <ResourceReader key={chosen.uri} which={which} uri={chosen.uri} name={nameOf(chosen)} />}
    </div>
  );
}

function nameOf(resource: Record<string, unknown> & { uri: string }): string {
  const { name, title } = resource;
  return typeof title === 'string' ? title : typeof name === 'string' ? name : resource.uri;
}

function ResourceReader({ which, uri, name }: { which: ServerRef; uri: string; name: string }) {
  const input = { ...which, body: { uri } };
  const read = useQuery({ ...ask('readResource', input), refetchOnWindowFocus: false });
  return (
    <section className={common.panel} aria-label={`Resource ${name}`}>
      <div className={common.wideRow}>
        <h2>{name}</h2>
        <ApiExample operation="readResource" input={input} />
      </div>
      <p className={common.soft}>
        <code>{uri}</code>
      </p>
      <QueryState of={read} lines={4} />
      {read.data && <Contents content={read.data.contents ?? []} />}
    </section>
  );
}
