import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Choices } from '../../kit/choices.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import type { Which } from '../servers/which.ts';
import { type SuiteKind, suiteName } from './words.ts';

/** Those that run here; what is known of OAuth is reported from elsewhere. */
const offered: [SuiteKind, string][] = [
  ['protocol', 'The handshake, lists, headers, streams: what the official suite can ask of any server.'],
  ['apps', 'Whether the interfaces that tools name can be read and are well-formed.'],
  ['tasks', 'Whether tasks are declared well-formed, are listed, and unknown ones are refused.'],
];

export function StartConformance({ which, onClose }: { which: Which; onClose: () => void }) {
  const [suites, setSuites] = useState<string[]>(offered.map(([kind]) => kind));
  const [revision, setRevision] = useState('');
  const queryClient = useQueryClient();
  const input = {
    ...which,
    body: {
      suites: offered.map(([kind]) => kind).filter((kind) => suites.includes(kind)),
      ...(revision.trim() !== '' && { protocolVersion: revision.trim() }),
    },
  };
  const starting = useMutation({
    mutationFn: () => api.startConformanceRun(input),
    onSuccess: async () => {
      say('Run started');
      await queryClient.invalidateQueries(answersOf('listConformanceRuns'));
      onClose();
    },
  });
  return (
    <FormDialog
      title="Check conformance"
      verb="Start the run"
      busy={starting.isPending}
      error={starting.error}
      blocked={suites.length === 0}
      onClose={onClose}
      onSubmit={() => starting.mutate()}
      same={<Same operation="startConformanceRun" input={input} />}
    >
      <Choices
        legend="Suites"
        choices={offered.map(([value, hint]) => ({ value, name: suiteName(value), hint }))}
        chosen={suites}
        onChange={setSuites}
        none="There is no suite."
        told
      />
      <Field
        label="Revision of the protocol"
        hint="Like 2025-11-25. Left empty, it is the one that the server and Drydock agree on."
      >
        <TextInput
          value={revision}
          maxLength={100}
          spellCheck={false}
          onChange={({ target }) => setRevision(target.value)}
        />
      </Field>
      <Note>
        The server is asked for its lists and one resource, and gets wrong requests on purpose. A tool is
        called only if it says that it only reads.
      </Note>
    </FormDialog>
  );
}
