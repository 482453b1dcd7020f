import { StateMark } from '../../kit/state.tsx';
import type { Column } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import type { Card } from './labels.ts';
import css from './registry.module.css';

const maxAboutLength = 300;

export const aboutColumns: Column<Card>[] = [
  {
    name: 'Name',
    main: true,
    cell: ({ name, displayName, publisher }) => (
      <span className={css.named}>
        <bdi>{displayName ?? name}</bdi>
        {displayName !== undefined && displayName !== name && <small>{name}</small>}
        {publisher !== undefined && <small>by {publisher}</small>}
      </span>
    ),
  },
  { name: 'Description', cell: ({ description }) => description && cut(description, maxAboutLength) },
  {
    name: 'Category and tags',
    cell: ({ category, tags = [] }) => [...(category === undefined ? [] : [category]), ...tags].join(', '),
  },
  {
    name: 'Server URL',
    cell: ({ transport }) =>
      transport?.url !== undefined && (
        <span className={css.named}>
          <code>{transport.url}</code>
          {transport.useOAuth && (
            <small>
              OAuth
              {transport.hasOAuthConfig && ', registered client'}
            </small>
          )}
        </span>
      ),
  },
  {
    name: 'State',
    cell: ({ status }) => status === 'deprecated' && <StateMark state="skipped">deprecated</StateMark>,
  },
];
