import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DrydockError } from '../../../../../client/index.ts';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Field, Select } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { keepIn, keptIn } from '../../../kit/kept.ts';
import { Note } from '../../../kit/notice.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import type { Which } from './transcript.tsx';

export interface MadeCase {
  suiteId: string;
  caseId: string;
  title: string;
}

/** The words of the visitor become the prompts of a case, the tools that served them its checks. */
export function MakeCase({
  which,
  onMade,
  onClose,
}: {
  which: Which;
  onMade: (made: MadeCase) => void;
  onClose: () => void;
}) {
  const { projectId } = which;
  const kept = `case-suite ${projectId}`;
  const suites = useQuery(ask('listEvalSuites', { projectId }));
  const [chosen, setChosen] = useState(() => keptIn('localStorage', kept));
  const items = suites.data?.items ?? [];
  // The one of the last time may be gone.
  const suiteId = (items.find(({ id }) => id === chosen) ?? items[0])?.id ?? '';
  const input = { ...which, body: { suiteId } };
  const queryClient = useQueryClient();
  const making = useMutation({
    mutationFn: (into: string) => api.createEvalCaseFromStudySession({ ...which, body: { suiteId: into } }),
    onSuccess: async ({ id: caseId, title }, into) => {
      keepIn('localStorage', kept, into);
      onMade({ suiteId: into, caseId, title });
      onClose();
      say(`Case “${title}” made`);
      for (const id of ['listEvalCases', 'getEvalSuite'] as const)
        await queryClient.invalidateQueries(answersOf(id));
    },
  });
  const twin = twinIn(making.error);
  return (
    <FormDialog
      title="Make an eval case"
      verb="Make case"
      busy={making.isPending}
      error={(twin === undefined ? making.error : null) ?? suites.error}
      blocked={suiteId === ''}
      onClose={onClose}
      onSubmit={() => making.mutate(suiteId)}
      same={<Same operation="createEvalCaseFromStudySession" input={input} />}
    >
      <Note>
        What the visitor said becomes the prompts, and each tool that answered has to be called again.
      </Note>
      {suites.isSuccess && items.length === 0 ? (
        <Note>
          There is no suite to add it to.{' '}
          <Link to="/projects/$projectId/suites" params={{ projectId }} search={{ make: 'suite' }}>
            Make one
          </Link>{' '}
          first.
        </Note>
      ) : (
        <Field label="Suite">
          <Select
            value={suiteId}
            onChange={({ target }) => setChosen(target.value)}
            options={items.map(({ id, name }) => [id, name ?? id] as const)}
          />
        </Field>
      )}
      {twin !== undefined && (
        <p role="status">
          <StateMark state="attention">The suite has this case already.</StateMark>{' '}
          <Link
            to="/projects/$projectId/suites/$suiteId"
            params={{ projectId, suiteId: making.variables ?? suiteId }}
            search={{ case: twin }}
          >
            Open it
          </Link>
        </p>
      )}
    </FormDialog>
  );
}

/** The case that has the same title and steps, where that is why there is no other. */
function twinIn(error: unknown): string | undefined {
  const caseId = error instanceof DrydockError ? error.details['caseId'] : undefined;
  return typeof caseId === 'string' ? caseId : undefined;
}
