import { useState } from 'react';
import { Switch } from '../../../kit/choices.tsx';
import { TextField } from '../../../kit/field.tsx';
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
      <TextField
        label="URL"
        required
        hint="Streamable HTTP or SSE, detected automatically."
        type="url"
        inputMode="url"
        placeholder="https://example.com/mcp"
        value={url}
        onChange={setUrl}
      />
      <TextField label="Name" required value={name} onChange={setName} />
      <Pairs
        legend="Headers"
        noun="header"
        hint="For example Authorization. Stored encrypted, never shown again."
        pairs={headers}
        onChange={setHeaders}
      />
      <Switch label="Requires OAuth" checked={useOAuth} onChange={setOAuth} />
    </ServerForm>
  );
}
