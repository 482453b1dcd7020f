import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleOutput } from '../../../../client/console.ts';
import { askPeoplePages } from '../../api/ask.ts';
import { Button } from '../../kit/button.tsx';
import { Select } from '../../kit/field.tsx';
import { Empty, Problem, Skeleton } from '../../kit/notice.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { KeysSearch } from './address.ts';
import { NewKey, RevokeKey } from './key-dialogs.tsx';
import css from './organization.module.css';
import { OrganizationPage, type Standing } from './organization-page.tsx';

export type Key = ConsoleOutput<'listKeys'>['items'][number];

const route = '/organizations/$organizationId/keys';

export function KeysPage() {
  const [making, setMaking] = useState(false);
  return (
    <OrganizationPage
      name="API keys"
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          Create key
        </Button>
      }
    >
      {(standing) => (
        <>
          <Keys standing={standing} onCreate={() => setMaking(true)} />
          {making && <NewKey standing={standing} onClose={() => setMaking(false)} />}
        </>
      )}
    </OrganizationPage>
  );
}

function Keys({ standing, onCreate }: { standing: Standing; onCreate: () => void }) {
  const { organizationId, administers } = standing;
  const { whose, revoked } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const set = (changed: KeysSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const keys = useInfiniteQuery(
    askPeoplePages('listKeys', { organizationId, whose: whose ?? 'all', limit: 100 }),
  );
  const all = keys.data?.pages.flatMap(({ items }) => items) ?? [];
  const items = revoked ? all : all.filter(({ revokedAt }) => revokedAt === null);
  return (
    <>
      <search className={css.filters}>
        {administers && (
          <Select
            aria-label="Whose"
            value={whose ?? ''}
            onChange={({ target }) => set({ whose: target.value === 'mine' ? 'mine' : undefined })}
            options={[
              ['', 'Keys of everybody'],
              ['mine', 'My keys'],
            ]}
          />
        )}
        <label>
          <input
            type="checkbox"
            checked={revoked === true}
            onChange={({ target }) => set({ revoked: target.checked || undefined })}
          />
          Show revoked keys
        </label>
      </search>
      {keys.isPending && <Skeleton lines={4} />}
      {keys.isError && <Problem error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isSuccess && items.length === 0 && (
        <Empty
          title="No working key"
          action={
            <Button look="primary" onClick={onCreate}>
              Create key
            </Button>
          }
        >
          A key lets scripts, CI and agents use the API as you, with what you may do in this organization.
        </Empty>
      )}
      {items.length > 0 && (
        <Table label="API keys" columns={columnsOf(standing)} rows={items} keyOf={({ id }) => id} />
      )}
      {keys.hasNextPage && (
        <div>
          <Button busy={keys.isFetchingNextPage} onClick={() => void keys.fetchNextPage()}>
            Show earlier keys
          </Button>
        </div>
      )}
    </>
  );
}

function columnsOf(standing: Standing): Column<Key>[] {
  const whose: Column<Key>[] = standing.administers
    ? [
        {
          name: 'Acts as',
          cell: ({ user }) => user?.email ?? <span className={css.soft}>an account that is gone</span>,
        },
      ]
    : [];
  return [
    { name: 'Name', main: true, cell: ({ name }) => name },
    { name: 'Key', cell: ({ hint }) => <code>{hint}</code> },
    ...whose,
    { name: 'Made', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Last used',
      figure: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className={css.soft}>never</span> : <Time at={lastUsedAt} />,
    },
    {
      name: 'State',
      cell: ({ revokedAt }) =>
        revokedAt === null ? (
          <StateMark state="passed">works</StateMark>
        ) : (
          <StateMark state="cancelled">
            revoked <Time at={revokedAt} />
          </StateMark>
        ),
    },
    {
      name: 'Actions',
      figure: true,
      cell: (key) => key.revokedAt === null && <RevokeKey standing={standing} apiKey={key} />,
    },
  ];
}
