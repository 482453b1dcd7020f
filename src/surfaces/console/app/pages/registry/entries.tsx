import { Code } from '../../kit/code.tsx';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { counted } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import type { Column } from '../../kit/table.tsx';
import { cut } from '../../kit/text.ts';
import { configurationLabel, type Entry, tierText, tierWord, titleOf } from './labels.ts';
import css from './registry.module.css';

const maxAboutLength = 160;
const maxUrlLength = 120;

/** Publisher content is untrusted: rendered as text, never as a link. */
export const entryColumns: Column<Entry>[] = [
  {
    name: 'Name',
    main: true,
    cell: (entry) => (
      <span className={css.named}>
        <bdi>{titleOf(entry)}</bdi>
        {entry.displayName !== undefined && entry.displayName !== entry.serverName && (
          <small>{entry.serverName}</small>
        )}
      </span>
    ),
  },
  { name: 'Description', cell: ({ description }) => description && cut(description, maxAboutLength) },
  {
    name: 'From',
    cell: ({ source, verifiedTier }) => (
      <span className={css.named}>
        {source}
        <small title={tierText(verifiedTier)}>{tierWord(verifiedTier)}</small>
      </span>
    ),
  },
  { name: 'Kind', cell: entryFacts },
  { name: 'Sign-in', cell: ({ authPosture }) => configurationLabel(authPosture) },
];

function entryFacts(entry: Entry) {
  const { endpointKind, remoteUrl = '', remoteUrlOptions = [], remoteUrlHint = '', command = [] } = entry;
  const [first, second] = {
    fixed: [<code key="url">{cut(remoteUrl, maxUrlLength)}</code>, undefined],
    options: [`one of ${counted(remoteUrlOptions.length, 'URL')}`, undefined],
    tenant: ['your own URL', cut(remoteUrlHint, maxUrlLength)],
    package: [<code key="command">{cut(command.join(' '), maxUrlLength)}</code>, 'local command'],
  }[endpointKind ?? ''] ?? [
    entry.rowType === 'package' ? 'a package' : 'hosted server',
    entry.unavailableReason,
  ];
  return (
    <span className={css.place}>
      {first}
      {second !== undefined && <small>{second}</small>}
    </span>
  );
}

/** All details of an entry. */
export function EntryMore({ entry }: { entry: Entry }) {
  const { description, remoteUrl, remoteUrlOptions = [], remoteUrlHint, command, unavailableReason } = entry;
  return (
    <div className={css.more}>
      {description !== undefined && <LongText text={description} />}
      <Facts
        facts={[
          ['Name', entry.serverName],
          ['Listed by', `${entry.source}, ${tierText(entry.verifiedTier)}`],
          ['Server URL', remoteUrl],
          ['Server URL template', remoteUrlHint],
          ['Cannot be installed', unavailableReason],
          ['ID', entry.id],
        ]}
      />
      {remoteUrlOptions.length > 0 && (
        <ul aria-label="Server URLs">
          <LimitedList items={remoteUrlOptions} noun="URL" rest="li">
            {(url) => (
              <li key={url}>
                <code>{url}</code>
              </li>
            )}
          </LimitedList>
        </ul>
      )}
      {command && <Code text={command.join(' ')} label="command" />}
    </div>
  );
}
