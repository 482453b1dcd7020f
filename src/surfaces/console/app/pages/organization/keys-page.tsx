import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { askPeoplePages, useInfiniteQuery } from '../../api/index.ts';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { Select } from '../../kit/field.tsx';
import { StateMark } from '../../kit/state.tsx';
import { type Column, QueryTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import type { KeysSearch } from './address.ts';
import { type Key, NewKey, RevokeKey } from './key-dialogs.tsx';
import css from './organization.module.css';
import { type OrganizationContext, OrganizationPage } from './organization-page.tsx';

const route = '/organizations/$organizationId/keys';

export function KeysPage() {
  const [making, setMaking] = useState(false);
  return (
    <OrganizationPage
      name="API keys"
      actions={
        <Button variant="primary" onClick={() => setMaking(true)}>
          Create key
        </Button>
      }
    >
      {(context) => (
        <>
          <Keys context={context} onCreate={() => setMaking(true)} />
          {making && <NewKey context={context} onClose={() => setMaking(false)} />}
        </>
      )}
    </OrganizationPage>
  );
}

function Keys({ context, onCreate }: { context: OrganizationContext; onCreate: () => void }) {
  const { organizationId, administers } = context;
  const { whose, revoked } = useSearch({ from: route });
  const navigate = useNavigate({ from: route });
  const set = (changed: KeysSearch): void =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const keys = useInfiniteQuery(
    askPeoplePages('listKeys', { organizationId, whose: whose ?? 'all', limit: 100 }),
  );
  const all = keys.data?.items ?? [];
  const items = revoked ? all : all.filter(({ revokedAt }) => revokedAt === null);
  return (
    <>
      <search className={css.filters}>
        {administers && (
          <Select
            aria-label="Owner"
            value={whose ?? ''}
            onChange={({ target }) => set({ whose: target.value === 'mine' ? 'mine' : undefined })}
            options={[
              ['', 'All keys'],
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
      <QueryTable
        of={keys}
        lines={4}
        title="No active keys"
        action={
          <Button variant="primary" onClick={onCreate}>
            Create key
          </Button>
        }
        label="API keys"
        columns={columnsOf(context)}
        rows={items}
      >
        API keys let scripts, CI and agents use the API with your permissions in this organization.
      </QueryTable>
    </>
  );
}

function columnsOf(context: OrganizationContext): Column<Key>[] {
  const whose: Column<Key>[] = context.administers
    ? [
        {
          name: 'Acts as',
          cell: ({ user }) => user?.email ?? <span className={common.soft}>a deleted account</span>,
        },
      ]
    : [];
  return [
    { name: 'Name', main: true, cell: ({ name }) => name },
    { name: 'Key', cell: ({ hint }) => <code>{hint}</code> },
    ...whose,
    { name: 'Created', figure: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: 'Last used',
      figure: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className={common.soft}>never</span> : <Time at={lastUsedAt} />,
    },
    {
      name: 'State',
      cell: ({ revokedAt }) =>
        revokedAt === null ? (
          <StateMark state="passed">active</StateMark>
        ) : (
          <StateMark state="cancelled">
            revoked <Time at={revokedAt} />
          </StateMark>
        ),
    },
    {
      name: 'Actions',
      figure: true,
      cell: (key) => key.revokedAt === null && <RevokeKey context={context} apiKey={key} />,
    },
  ];
}
