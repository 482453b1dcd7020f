import { useState } from 'react';
import { api, useSubmit } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Choices } from '../../kit/choices.tsx';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import type { ServerRef } from '../servers/address.ts';
import { type SuiteKind, suiteName } from './labels.ts';

/** Suites that this service can run; OAuth results come from external runners. */
const offered: [SuiteKind, string][] = [
  ['protocol', 'Handshake, lists, headers and streams: the official suite, for any server.'],
  ['apps', 'The UI resources that tools declare can be read and are well-formed.'],
  ['tasks', 'Tasks are declared correctly and listed, and unknown ones are rejected.'],
];

export function StartConformance({ which, onClose }: { which: ServerRef; onClose: () => void }) {
  const [suites, setSuites] = useState<string[]>(offered.map(([kind]) => kind));
  const [revision, setRevision] = useState('');
  const input = {
    ...which,
    body: {
      suites: offered.map(([kind]) => kind).filter((kind) => suites.includes(kind)),
      ...(revision.trim() !== '' && { protocolVersion: revision.trim() }),
    },
  };
  const starting = useSubmit(() => api.startConformanceRun(input), { says: 'Run started', onDone: onClose });
  return (
    <FormDialog
      title="Run conformance"
      verb="Start run"
      action={starting}
      blocked={suites.length === 0}
      onClose={onClose}
      example={<ApiExample operation="startConformanceRun" input={input} />}
    >
      <Choices
        legend="Suites"
        choices={offered.map(([value, hint]) => ({ value, name: suiteName(value), hint }))}
        chosen={suites}
        onChange={setSuites}
        none="No suites."
        hintsBelow
      />
      <TextField
        label="Protocol revision"
        hint="For example 2025-11-25. Default: negotiated with the server."
        value={revision}
        maxLength={100}
        spellCheck={false}
        onChange={setRevision}
      />
      <Note>
        The run reads the server's lists and one resource and sends deliberately invalid requests. It calls a
        tool only if the tool is declared read-only.
      </Note>
    </FormDialog>
  );
}
