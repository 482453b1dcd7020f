import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { OneChoice, Switch } from '../../kit/choices.tsx';
import { Fold } from '../../kit/fold.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { counted } from '../../kit/numbers.ts';
import type { ServerRef } from '../servers/address.ts';
import { declaredOf } from './declared-fields.ts';
import { DeclaredForm } from './declared-form.tsx';
import { draftFor, keepDraft } from './drafts.ts';
import { type Directory, directories, type ReadinessRun } from './labels.ts';
import css from './readiness.module.css';

type Mode = NonNullable<ReadinessRun['submissionMode']>;

/** Asks for the directory, the scope, permission for side effects, and declarations. */
export function StartReadiness({
  which,
  before,
  onStarted,
  onClose,
}: {
  which: ServerRef;
  /** The run on screen; its directory is the default for the next one. */
  before: ReadinessRun | undefined;
  onStarted: (runId: string) => void;
  onClose: () => void;
}) {
  const [directory, setDirectory] = useState<Directory>(before?.readinessKind ?? 'claude');
  const [mode, setMode] = useState<Mode>(before?.submissionMode ?? 'mcp-only');
  const [observed, setObserved] = useState(before?.includeLlmObservations ?? false);
  const [sideEffects, setSideEffects] = useState(false);
  const [draft, setDraft] = useState(() => draftFor(which.serverId));
  const declared = declaredOf(draft);
  const said = Object.keys(declared).length;
  const body = {
    includeLlmObservations: observed,
    allowSideEffects: sideEffects,
    ...(said > 0 && { declared }),
  };
  const claude = { ...which, body };
  const openai = { ...which, body: { submissionMode: mode, ...body } };
  const starting = useSubmit(
    () =>
      directory === 'claude' ? api.startClaudeReadinessRun(claude) : api.startOpenAIReadinessRun(openai),
    {
      onDone: ({ runId }) => {
        keepDraft(which.serverId, draft);
        onStarted(runId);
      },
    },
  );
  return (
    <FormDialog
      title="Check readiness"
      verb="Start check"
      wide
      action={starting}
      onClose={() => {
        keepDraft(which.serverId, draft);
        onClose();
      }}
      example={
        directory === 'claude' ? (
          <ApiExample operation="startClaudeReadinessRun" input={claude} />
        ) : (
          <ApiExample operation="startOpenAIReadinessRun" input={openai} />
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
          legend="Submission"
          chosen={mode}
          onChange={setMode}
          choices={[
            { value: 'mcp-only', name: 'The server', hint: 'Its tools and UI resources.' },
            {
              value: 'mcp-imported-skills',
              name: 'The server and its skills',
              hint: 'Also checks the skills it offers.',
            },
          ]}
        />
      )}
      <div className={css.option}>
        <Switch label="Allow side effects" checked={sideEffects} onChange={setSideEffects} />
        <Note>
          Registers a client at the authorization server and calls up to ten tools that take no required
          arguments and are not marked destructive. Without it the run is read-only and leaves some rules
          unchecked.
        </Note>
      </div>
      <div className={css.option}>
        <Switch label="Let a model review the tools" checked={observed} onChange={setObserved} />
        <Note>
          The model reads tool names and descriptions. Its observations do not affect the result. Uses one of
          today's insights.
        </Note>
      </div>
      <Fold
        summary={`Declarations: ${said === 0 ? 'nothing declared' : `${counted(said, 'field')} declared`}`}
        className={css.declared}
      >
        {() => (
          <div className={css.fields}>
            <Note>
              Empty fields are not checked. Kept until this tab closes; save to a file to reuse them or to
              pass to <code>drydock readiness --declared</code>.
            </Note>
            <DeclaredForm draft={draft} onChange={setDraft} />
          </div>
        )}
      </Fold>
    </FormDialog>
  );
}
