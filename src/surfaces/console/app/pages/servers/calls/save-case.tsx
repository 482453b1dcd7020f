import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Field, Select, TextArea, TextInput } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import type { Which } from '../which.ts';
import { type CaseKind, caseOfCall } from './case-of-call.ts';
import type { ToolCall } from './history.ts';

/** The choice that makes a suite first. */
const newSuite = 'new';

/** Keeps a call as a case of a suite; where there is no suite yet, of a new one. */
export function SaveCase({ which, call, onClose }: { which: Which; call: ToolCall; onClose: () => void }) {
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
  const queryClient = useQueryClient();
  const suiteId = chosen ?? suites.data?.items[0]?.id ?? newSuite;
  const making = suiteId === newSuite;
  const models = useQuery({ ...ask('listModels', {}), enabled: making });
  const modelId = model ?? models.data?.items.find(({ offline }) => offline)?.id ?? '';
  const serverName = server.data?.name ?? '';
  const body = caseOfCall(call, serverName, { kind, title, prompt, contains });
  const suite = { name: suiteName.trim() || `${serverName} calls`, serverIds: [serverId], model: modelId };
  const saving = useMutation({
    mutationFn: async () =>
      making
        ? void (await api.createEvalSuite({ projectId, body: { ...suite, tests: [body as never] } }))
        : void (await api.createEvalCase({ projectId, suiteId, body })),
    onSuccess: async () => {
      onClose();
      say(`Case “${title}” saved`);
      await queryClient.invalidateQueries(answersOf('listEvalSuites'));
      await queryClient.invalidateQueries(answersOf('listEvalCases'));
    },
  });
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
      busy={saving.isPending}
      error={saving.error ?? suites.error}
      blocked={!ready}
      onClose={onClose}
      onSubmit={() => saving.mutate()}
      same={!making && <Same operation="createEvalCase" input={{ projectId, suiteId, body }} />}
    >
      <Field label="Suite">
        <Select
          value={suiteId}
          onChange={({ target }) => setChosen(target.value)}
          options={[
            ...(suites.data?.items ?? []).map(({ id, name }) => [id, name ?? id] as const),
            [newSuite, 'A new suite'],
          ]}
        />
      </Field>
      {making && (
        <>
          <Field label="Name of the suite">
            <TextInput
              value={suiteName}
              placeholder={suite.name}
              onChange={({ target }) => setSuiteName(target.value)}
            />
          </Field>
          <Field label="Model" hint="For cases that ask one; it can be changed later.">
            <Select
              value={modelId}
              onChange={({ target }) => setModel(target.value)}
              options={(models.data?.items ?? []).map(({ id, name }) => [id, name] as const)}
            />
          </Field>
        </>
      )}
      <Field label="What the case does">
        <Select
          value={kind}
          onChange={({ target }) => setKind(target.value as CaseKind)}
          options={[
            ['call', 'Makes this call, which has to work'],
            ['prompt', 'Asks a model, which has to make this call'],
          ]}
        />
      </Field>
      <Field label="Title" needed>
        <TextInput value={title} onChange={({ target }) => setTitle(target.value)} />
      </Field>
      {kind === 'prompt' && (
        <Field label="Prompt" needed hint="What somebody would ask who needs this call.">
          <TextArea rows={3} value={prompt} onChange={({ target }) => setPrompt(target.value)} />
        </Field>
      )}
      <Field label="The answer of the tool contains" hint="Left empty, any answer without an error will do.">
        <TextInput value={contains} onChange={({ target }) => setContains(target.value)} />
      </Field>
    </FormDialog>
  );
}
