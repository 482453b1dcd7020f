import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import { downloadText } from '../../kit/download.ts';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { Same } from '../../same/same.tsx';
import { FileEditor } from './file-editor.tsx';
import type { Suite } from './suite-words.ts';
import css from './suites.module.css';

/** The suite as a file beside a file to sync. */
export function FileTab({ suite }: { suite: Suite }) {
  const { projectId, id: suiteId, declaredId, name } = suite;
  const file = useQuery({
    queryKey: ['exportEvalSuiteFile', projectId, suiteId, suite.revisionNumber, suite.updatedAt],
    queryFn: async ({ signal }) => (await api.exportEvalSuiteFile({ projectId, suiteId }, { signal })).text(),
  });
  if (file.isError) return <Problem error={file.error} retry={() => void file.refetch()} />;
  if (file.data === undefined) return <Skeleton lines={12} />;
  return (
    <div className={css.files}>
      <Section
        title="As it is"
        actions={
          <>
            <Same operation="exportEvalSuiteFile" input={{ projectId, suiteId }} />
            <Button onClick={() => downloadText(`${name ?? suiteId}.yaml`, file.data, 'application/yaml')}>
              Download
            </Button>
          </>
        }
      >
        <Code text={file.data} label="suite file" wrap={false} />
      </Section>
      <Section title="Change and sync">
        {declaredId === undefined && (
          <Note>
            No file owns this suite. Syncing makes a suite of its own beside it, which the file owns; this one
            stays as it is, and its cases are edited under Cases.
          </Note>
        )}
        <FileEditor key={file.dataUpdatedAt} projectId={projectId} initial={file.data} />
      </Section>
    </div>
  );
}
