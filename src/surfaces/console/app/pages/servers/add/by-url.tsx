import { useState } from 'react';
import { Switch } from '../../../kit/choices.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { type Pair, Pairs, recordOf } from '../../../kit/pairs.tsx';
import { type Adding, ServerForm, useName } from './fields.tsx';

export function ByUrl(adding: Adding) {
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState<Pair[]>([]);
  const [useOAuth, setOAuth] = useState(false);
  const address = url.trim();
  const [name, setName] = useName(URL.canParse(address) ? new URL(address).hostname : '');
  const given = recordOf(headers);
  return (
    <ServerForm
      {...adding}
      body={{
        name,
        url: address,
        ...(Object.keys(given).length > 0 && { headers: given }),
        ...(useOAuth && { useOAuth }),
      }}
      ready={address !== '' && name.trim() !== ''}
    >
      <Field label="URL" needed hint="Streamable HTTP or SSE; which one is found out.">
        <TextInput
          type="url"
          inputMode="url"
          placeholder="https://example.com/mcp"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </Field>
      <Field label="Name" needed>
        <TextInput value={name} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Pairs
        legend="Headers"
        noun="header"
        hint="Like Authorization. Stored encrypted, never shown again."
        pairs={headers}
        onChange={setHeaders}
      />
      <Switch label="It needs an OAuth grant" checked={useOAuth} onChange={setOAuth} />
    </ServerForm>
  );
}
