import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { OneChoice, Switch } from '../../kit/choices.tsx';
import { Fold } from '../../kit/fold.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import { Same } from '../../same/same.tsx';
import type { Which } from '../servers/which.ts';
import { declaredOf } from './declared-fields.ts';
import { DeclaredForm } from './declared-form.tsx';
import { draftFor, keepDraft } from './drafts.ts';
import css from './readiness.module.css';
import { type Directory, directories, type ReadinessRun } from './words.ts';

type Mode = NonNullable<ReadinessRun['submissionMode']>;

/** Asks what is to be looked at, what may be done, and what only people know. */
export function StartReadiness({
  which,
  before,
  onStarted,
  onClose,
}: {
  which: Which;
  /** The run that is shown: the next one is for the same directory unless somebody chooses another. */
  before: ReadinessRun | undefined;
  onStarted: (runId: string) => void;
  onClose: () => void;
}) {
  const [directory, setDirectory] = useState<Directory>(before?.readinessKind ?? 'claude');
  const [mode, setMode] = useState<Mode>(before?.submissionMode ?? 'mcp-only');
  const [observed, setObserved] = useState(before?.includeLlmObservations ?? false);
  const [traces, setTraces] = useState(false);
  const [draft, setDraft] = useState(() => draftFor(which.serverId));
  const queryClient = useQueryClient();
  const declared = declaredOf(draft);
  const said = Object.keys(declared).length;
  const body = {
    includeLlmObservations: observed,
    allowSideEffects: traces,
    ...(said > 0 && { declared }),
  };
  const claude = { ...which, body };
  const openai = { ...which, body: { submissionMode: mode, ...body } };
  const starting = useMutation({
    mutationFn: () =>
      directory === 'claude' ? api.startClaudeReadinessRun(claude) : api.startOpenAIReadinessRun(openai),
    onSuccess: async ({ runId }) => {
      keepDraft(which.serverId, draft);
      await queryClient.invalidateQueries(answersOf('listReadinessRuns'));
      onStarted(runId);
    },
  });
  return (
    <FormDialog
      title="Check readiness"
      verb="Start the check"
      wide
      busy={starting.isPending}
      error={starting.error}
      onClose={() => {
        keepDraft(which.serverId, draft);
        onClose();
      }}
      onSubmit={() => starting.mutate()}
      same={
        directory === 'claude' ? (
          <Same operation="startClaudeReadinessRun" input={claude} />
        ) : (
          <Same operation="startOpenAIReadinessRun" input={openai} />
        )
      }
    >
      <OneChoice
        legend="Directory"
        chosen={directory}
        onChange={setDirectory}
        choices={[
          { value: 'claude', name: directories.claude, hint: 'The directory of connectors for Claude.' },
          { value: 'openai', name: directories.openai, hint: 'The directory of plugins for ChatGPT.' },
        ]}
      />
      {directory === 'openai' && (
        <OneChoice
          legend="What is submitted"
          chosen={mode}
          onChange={setMode}
          choices={[
            { value: 'mcp-only', name: 'The server', hint: 'Its tools and interfaces.' },
            {
              value: 'mcp-imported-skills',
              name: 'The server and its skills',
              hint: 'The skills that it offers are looked at too.',
            },
          ]}
        />
      )}
      <div className={css.option}>
        <Switch label="Allow side effects" checked={traces} onChange={setTraces} />
        <Note>
          Registers a client at the authorization server, and calls up to ten tools that need no arguments and
          are not marked as destructive. Without it the run only reads, and what it cannot see that way stays
          open.
        </Note>
      </div>
      <div className={css.option}>
        <Switch label="Let a model look at the tools" checked={observed} onChange={setObserved} />
        <Note>
          It reads names and descriptions and adds what it notices. It decides nothing, and takes one unit of
          the insights of the day.
        </Note>
      </div>
      <Fold
        summary={`What only people know: ${said === 0 ? 'nothing declared' : `${counted(said, 'field')} declared`}`}
        className={css.declared}
      >
        {() => (
          <div className={css.fields}>
            <Note>
              What is left empty is not looked at. It is kept while this tab is open; save it as a file to use
              it later or with <code>drydock readiness --declared</code>.
            </Note>
            <DeclaredForm draft={draft} onChange={setDraft} />
          </div>
        )}
      </Fold>
    </FormDialog>
  );
}
