import { useState } from 'react';
import { api, ask, useQuery, useSubmit } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { AreaField, SelectField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import type { ServerRef } from '../address.ts';
import { type CaseKind, caseOfCall } from './case-of-call.ts';
import type { ToolCall } from './history.ts';

/** Option that creates a suite first. */
const newSuite = 'new';

/** Saves a call as a case of an existing or a new suite. */
export function SaveCase({
  which,
  call,
  onClose,
}: {
  which: ServerRef;
  call: ToolCall;
  onClose: () => void;
}) {
  const { projectId, serverId } = which;
  const suites = useQuery(ask('listEvalSuites', { projectId }));
  const server = useQuery(ask('getProjectServer', which));
  const [chosen, setChosen] = useState<string>();
  const [suiteName, setSuiteName] = useState('');
  const [model, setModel] = useState<string>();
  const [kind, setKind] = useState<CaseKind>('call');
  const [title, setTitle] = useState(`Calls ${call.toolName}`);
  const [prompt, setPrompt] = useState('');
  const [contains, setContains] = useState('');
  const suiteId = chosen ?? suites.data?.items[0]?.id ?? newSuite;
  const making = suiteId === newSuite;
  const models = useQuery({ ...ask('listModels', {}), enabled: making });
  const modelId = model ?? models.data?.items.find(({ offline }) => offline)?.id ?? '';
  const serverName = server.data?.name ?? '';
  const body = caseOfCall(call, serverName, { kind, title, prompt, contains });
  const suite = { name: suiteName.trim() || `${serverName} calls`, serverIds: [serverId], model: modelId };
  const saving = useSubmit(
    async () =>
      making
        ? void (await api.createEvalSuite({ projectId, body: { ...suite, tests: [body as never] } }))
        : void (await api.createEvalCase({ projectId, suiteId, body })),
    { says: `Case “${title}” saved`, onDone: onClose },
  );
  const ready =
    title.trim() !== '' &&
    serverName !== '' &&
    suites.isSuccess &&
    (kind === 'call' || prompt.trim() !== '') &&
    (!making || modelId !== '');
  return (
    <FormDialog
      title="Save as eval case"
      verb="Save case"
      action={saving}
      error={suites.error}
      blocked={!ready}
      onClose={onClose}
      example={!making && <ApiExample operation="createEvalCase" input={{ projectId, suiteId, body }} />}
    >
      <SelectField
        label="Suite"
        value={suiteId}
        options={[
          ...(suites.data?.items ?? []).map(({ id, name }) => [id, name ?? id] as const),
          [newSuite, 'New suite'],
        ]}
        onChange={setChosen}
      />
      {making && (
        <>
          <TextField
            label="Name of the suite"
            value={suiteName}
            placeholder={suite.name}
            onChange={setSuiteName}
          />
          <SelectField
            label="Model"
            hint="For cases that use a model. You can change it later."
            value={modelId}
            options={(models.data?.items ?? []).map(({ id, name }) => [id, name] as const)}
            onChange={setModel}
          />
        </>
      )}
      <SelectField
        label="Case type"
        value={kind}
        options={[
          ['call', 'Direct call that must succeed'],
          ['prompt', 'Prompt a model, which must make this call'],
        ]}
        onChange={setKind}
      />
      <TextField label="Title" required value={title} onChange={setTitle} />
      {kind === 'prompt' && (
        <AreaField
          label="Prompt"
          required
          hint="A user message that should lead to this call."
          rows={3}
          value={prompt}
          onChange={setPrompt}
        />
      )}
      <TextField
        label="Result contains"
        hint="Default: any result without an error."
        value={contains}
        onChange={setContains}
      />
    </FormDialog>
  );
}
