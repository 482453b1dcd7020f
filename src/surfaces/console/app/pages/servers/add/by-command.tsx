import { useState } from 'react';
import { TextField } from '../../../kit/field.tsx';
import { Note } from '../../../kit/notice.tsx';
import { counted } from '../../../kit/numbers.ts';
import { type Pair, Pairs, recordOf } from '../../../kit/pairs.tsx';
import { type Adding, ServerForm, useName } from './fields.tsx';
import { wordsOf } from './shell-words.ts';

export function ByCommand(adding: Adding) {
  const [line, setLine] = useState('');
  const [variables, setVariables] = useState<Pair[]>([]);
  const [command = '', ...args] = wordsOf(line);
  const [name, setName] = useName(command === '' ? '' : nameFrom([command, ...args]));
  const env = recordOf(variables);
  const quotedArgs = args.map((word) => JSON.stringify(word)).join(' ');
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
        The command runs on the machine that runs Drydock. Only project administrators can save one.
      </Note>
      <TextField
        label="Command"
        required
        hint={
          args.length === 0
            ? 'With arguments, run without a shell. Use quotes for arguments with spaces.'
            : `${command} with ${counted(args.length, 'argument')}: ${quotedArgs}`
        }
        spellCheck={false}
        placeholder="npx -y some-mcp-server"
        value={line}
        onChange={setLine}
      />
      <TextField label="Name" required value={name} onChange={setName} />
      <Pairs
        legend="Environment variables"
        noun="variable"
        hint="Stored encrypted, never shown again. Of the service's variables, only basic ones like PATH are passed."
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
