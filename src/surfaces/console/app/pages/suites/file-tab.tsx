import { api, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Code } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { downloadText } from '../../kit/download.ts';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { FileEditor } from './file-editor.tsx';
import type { Suite } from './suite-labels.ts';

/** The current suite file, next to an editor to sync a new one. */
export function FileTab({ suite }: { suite: Suite }) {
  const { projectId, id: suiteId, declaredId, name } = suite;
  const file = useQuery({
    queryKey: ['exportEvalSuiteFile', projectId, suiteId, suite.revisionNumber, suite.updatedAt],
    queryFn: async ({ signal }) => (await api.exportEvalSuiteFile({ projectId, suiteId }, { signal })).text(),
  });
  if (!file.isSuccess) return <QueryState of={file} lines={12} />;
  return (
    <div className={common.halves}>
      <Section
        title="Current file"
        actions={
          <>
            <ApiExample operation="exportEvalSuiteFile" input={{ projectId, suiteId }} />
            <Button onClick={() => downloadText(`${name ?? suiteId}.yaml`, file.data, 'application/yaml')}>
              Download
            </Button>
          </>
        }
      >
        <Code text={file.data} label="suite file" wrap={false} />
      </Section>
      <Section title="Edit and sync">
        {declaredId === undefined && (
          <Note>
            This suite is edited in the console. Syncing a file creates a separate suite that the file
            manages; this one is not changed.
          </Note>
        )}
        <FileEditor key={file.dataUpdatedAt} projectId={projectId} initial={file.data} />
      </Section>
    </div>
  );
}
