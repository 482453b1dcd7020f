import { useState } from 'react';
import { Field, TextInput } from '../../../kit/field.tsx';
import { Note } from '../../../kit/notice.tsx';
import { type Pair, Pairs, recordOf } from '../../../kit/pairs.tsx';
import { type Adding, ServerForm, useName } from './fields.tsx';
import { wordsOf } from './words.ts';

export function ByCommand(adding: Adding) {
  const [line, setLine] = useState('');
  const [variables, setVariables] = useState<Pair[]>([]);
  const [command = '', ...args] = wordsOf(line);
  const [name, setName] = useName(command === '' ? '' : nameFrom([command, ...args]));
  const env = recordOf(variables);
  return (
    <ServerForm
      {...adding}
      body={{
        name,
        transportType: 'stdio',
        command,
        ...(args.length > 0 && { args }),
        ...(Object.keys(env).length > 0 && { env }),
      }}
      ready={command !== '' && name.trim() !== ''}
    >
      <Note>
        The command runs on the machine of this service, so that only administrators of the project may save
        one.
      </Note>
      <Field
        label="Command"
        needed
        hint={
          args.length === 0
            ? 'With its arguments. It is run as it is, never through a shell; quotes keep words together.'
            : `${command} with ${args.length} arguments: ${args.map((word) => JSON.stringify(word)).join(' ')}`
        }
      >
        <TextInput
          spellCheck={false}
          placeholder="npx -y some-mcp-server"
          value={line}
          onChange={({ target }) => setLine(target.value)}
        />
      </Field>
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Pairs
        legend="Environment variables"
        noun="variable"
        hint="Stored encrypted, never shown again. Others are not handed to the command."
        pairs={variables}
        onChange={setVariables}
      />
    </ServerForm>
  );
}

function nameFrom(words: string[]): string {
  const said = words.findLast((word) => !word.startsWith('-')) ?? '';
  return said.split('/').at(-1) ?? said;
}
