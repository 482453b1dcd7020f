import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { ask } from '../../api/ask.ts';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { Same } from '../../same/same.tsx';
import { everythingListed } from './every-page.ts';
import { ItemList } from './item-list.tsx';
import { Contents } from './result.tsx';
import css from './servers.module.css';
import type { Which } from './which.ts';

export function ResourcesTab({ which }: { which: Which }) {
  const { item } = useSearch({ from: '/projects/$projectId/servers/$serverId' });
  const resources = useQuery(everythingListed('listResources', which));
  if (resources.isError) return <Problem error={resources.error} retry={() => void resources.refetch()} />;
  if (!resources.data) return <Skeleton lines={6} />;
  const { items, more } = resources.data;
  if (items.length === 0) return <Empty title="The server lists no resources" />;
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

function ResourceReader({ which, uri, name }: { which: Which; uri: string; name: string }) {
  const input = { ...which, body: { uri } };
  const read = useQuery({ ...ask('readResource', input), refetchOnWindowFocus: false });
  return (
    <section className={css.panel} aria-label={`Resource ${name}`}>
      <div className={css.call}>
        <h2>{name}</h2>
        <Same operation="readResource" input={input} />
      </div>
      <p className={css.quiet}>
        <code>{uri}</code>
      </p>
      {read.isPending && <Skeleton lines={4} />}
      {read.isError && <Problem error={read.error} retry={() => void read.refetch()} />}
      {read.data && <Contents content={read.data.contents ?? []} />}
    </section>
  );
}
