import { useRef, useState } from 'react';
import { api, type Output, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import common from '../../kit/common.module.css';
import { AreaField } from '../../kit/field.tsx';
import { newKey } from '../../kit/new-key.ts';
import { Problem } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { StateMark } from '../../kit/state.tsx';
import {
  declaredIdIn,
  type FileProblem,
  hasOnlyIdMismatch,
  problemsIn,
  spanOfLine,
} from './file-problems.ts';
import css from './suites.module.css';

type Synced = Output<'syncEvalSuiteFile'>;

/** Editor for a suite file, which can be checked and synced. */
export function FileEditor({
  projectId,
  initial,
  onSynced,
}: {
  projectId: string;
  initial: string;
  onSynced?: (synced: Synced) => void;
}) {
  const [text, setText] = useState(initial);
  const area = useRef<HTMLTextAreaElement>(null);
  const id = declaredIdIn(text);
  const uploadOf = (declaredSuiteId: string) => ({
    projectId,
    declaredSuiteId,
    upload: new Blob([text], {
      type: /^\s*\{/.test(text) ? 'application/json' : 'application/yaml',
    }),
  });
  const checking = useSubmit(async () => {
    // Dry run: sent with a mismatched ID, the file is validated but never stored.
    const sent = api.syncEvalSuiteFile(uploadOf(`check-${newKey()}`));
    await sent.catch((error: unknown) => {
      if (!hasOnlyIdMismatch(error)) throw error;
    });
  });
  const syncing = useSubmit(() => api.syncEvalSuiteFile(uploadOf(id ?? 'suite')), {
    says: (synced) => (synced.unchanged ? 'No changes' : 'Suite synced'),
    onDone: (synced) => onSynced?.(synced),
  });
  const error = syncing.error ?? checking.error;
  const found = problemsIn(error);
  const show = ({ line }: FileProblem): void => {
    area.current?.focus();
    area.current?.setSelectionRange(...spanOfLine(text, line));
  };
  const type = (next: string): void => {
    setText(next);
    checking.reset();
    syncing.reset();
  };
  const busy = checking.isPending || syncing.isPending;
  return (
    <div className={css.form}>
      <AreaField
        label="Suite file"
        hint={
          id === undefined
            ? 'YAML or JSON. suite.id is required and identifies the suite permanently.'
            : `The file of suite ${id}. Cases removed from it are deleted.`
        }
        ref={area}
        rows={24}
        value={text}
        aria-invalid={found !== undefined}
        onChange={type}
      />
      <div className={common.row}>
        <Button
          variant="primary"
          busy={busy}
          disabled={id === undefined || text.trim() === ''}
          onClick={() => syncing.mutate()}
        >
          Sync file
        </Button>
        <Button busy={busy} disabled={text.trim() === ''} onClick={() => checking.mutate()}>
          Check only
        </Button>
        <ApiExample operation="syncEvalSuiteFile" input={uploadOf(id ?? 'SUITE_ID')} />
        {checking.isSuccess && <StateMark state="passed">the file is valid</StateMark>}
        {syncing.data && <StateMark state="passed">{countsOf(syncing.data)}</StateMark>}
      </div>
      {found && <FileProblems {...found} onShow={show} />}
      {error !== null && !found && <Problem error={error} />}
    </div>
  );
}

function countsOf({ cases, unchanged }: Synced): string {
  if (unchanged) return 'no changes';
  return `${counted(cases.created, 'case')} added, ${count(cases.updated)} changed, ${count(cases.deleted)} deleted`;
}

/** Each problem links to its line. */
function FileProblems({
  problems,
  more,
  onShow,
}: {
  problems: FileProblem[];
  more: number;
  onShow: (problem: FileProblem) => void;
}) {
  return (
    <div role="alert" className={css.problems}>
      <ul aria-label="Problems in the file">
        {problems.map((problem, at) => (
          <li key={at} className={css.problemLine}>
            <button type="button" onClick={() => onShow(problem)} aria-label={`Go to line ${problem.line}`}>
              {problem.line}:{problem.column}
            </button>
            <span>
              {problem.path && <code>{problem.path}</code>} {problem.message}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={css.problemLine}>{counted(more, 'more problem')}</p>}
    </div>
  );
}
