import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DrydockError } from '../../../../../client/index.ts';
import { api, ask, useQuery, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { Note } from '../../../kit/notice.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { readStorage, writeStorage } from '../../../kit/web-storage.ts';
import type { SessionRef } from './transcript.tsx';

export interface MadeCase {
  suiteId: string;
  caseId: string;
  title: string;
}

/** Creates a case from a session: the visitor's messages become prompts, successful tool calls become checks. */
export function MakeCase({
  which,
  onMade,
  onClose,
}: {
  which: SessionRef;
  onMade: (made: MadeCase) => void;
  onClose: () => void;
}) {
  const { projectId } = which;
  const kept = `case-suite ${projectId}`;
  const suites = useQuery(ask('listEvalSuites', { projectId }));
  const [chosen, setChosen] = useState(() => readStorage('localStorage', kept));
  const items = suites.data?.items ?? [];
  // The suite selected last may have been deleted.
  const suiteId = (items.find(({ id }) => id === chosen) ?? items[0])?.id ?? '';
  const input = { ...which, body: { suiteId } };
  const making = useSubmit(() => api.createEvalCaseFromStudySession(input), {
    says: ({ title }) => `Case “${title}” created`,
    onDone: ({ id: caseId, title }) => {
      writeStorage('localStorage', kept, suiteId);
      onMade({ suiteId, caseId, title });
      onClose();
    },
  });
  const twin = twinIn(making.error);
  return (
    <FormDialog
      title="Create eval case"
      verb="Create case"
      action={twin === undefined ? making : { ...making, error: null }}
      error={suites.error}
      blocked={suiteId === ''}
      onClose={onClose}
      example={<ApiExample operation="createEvalCaseFromStudySession" input={input} />}
    >
      <Note>The visitor's messages become prompts; each tool that answered must be called again.</Note>
      {suites.isSuccess && items.length === 0 ? (
        <Note>
          No suites yet.{' '}
          <Link to="/projects/$projectId/suites" params={{ projectId }} search={{ make: 'suite' }}>
            Create suite
          </Link>{' '}
          first.
        </Note>
      ) : (
        <SelectField
          label="Suite"
          value={suiteId}
          options={items.map(({ id, name }) => [id, name ?? id] as const)}
          onChange={setChosen}
        />
      )}
      {twin !== undefined && (
        <p role="status">
          <StateMark state="attention">The suite already has this case.</StateMark>{' '}
          <Link
            to="/projects/$projectId/suites/$suiteId"
            params={{ projectId, suiteId }}
            search={{ case: twin }}
          >
            Open case
          </Link>
        </p>
      )}
    </FormDialog>
  );
}

/** The existing case with the same title and steps, if creation was refused for that reason. */
function twinIn(error: unknown): string | undefined {
  const caseId = error instanceof DrydockError ? error.details['caseId'] : undefined;
  return typeof caseId === 'string' ? caseId : undefined;
}
