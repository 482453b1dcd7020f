import { useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Field, Select, submits, TextField, TextInput } from '../../../kit/field.tsx';
import { Fold } from '../../../kit/fold.tsx';
import form from '../../../kit/form.module.css';
import { NextIcon, PreviousIcon } from '../../../kit/icons.tsx';
import { textOf } from '../../../kit/text.ts';
import css from './browser.module.css';
import type { Command } from './types.ts';

type Look = Extract<Command, { op: 'observe' }>['mode'];
type Verb = Extract<Command, { op: 'act' }>['verb'];

const views: [Look, string][] = [
  ['screenshot', 'screenshot'],
  ['a11y', 'elements with refs'],
  ['text', 'text'],
  ['dom', 'HTML'],
  ['console', 'console'],
  ['network', 'requests'],
  ['dialog', 'dialogs'],
  ['page_tools', 'tools'],
];

const verbs: [Verb, string][] = [
  ['click', 'click'],
  ['type', 'type'],
  ['press', 'press key'],
  ['select', 'select option'],
  ['hover', 'hover'],
  ['scroll', 'scroll'],
  ['accept_dialog', 'accept dialog'],
  ['dismiss_dialog', 'dismiss dialog'],
  ['activate_tab', 'switch tab'],
  ['close_tab', 'close tab'],
];

const picture = { observeAfter: 'screenshot' } as const;

/** Browser controls: navigate, inspect and act on the page. */
export function Controls({
  busy,
  looksOnly,
  address,
  tell,
}: {
  busy: boolean;
  looksOnly: boolean;
  address: unknown;
  tell: (command: Command) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const [look, setLook] = useState<Look>('screenshot');
  const url = typed ?? textOf(address);
  const go = submits(() => {
    if (url.trim() === '' || busy) return;
    setTyped(undefined);
    tell({ op: 'navigate', url: /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`, ...picture });
  });
  return (
    <>
      <form className={css.bar} onSubmit={go}>
        <IconButton label="Back" disabled={busy} onClick={() => tell({ op: 'back', ...picture })}>
          <PreviousIcon />
        </IconButton>
        <IconButton label="Forward" disabled={busy} onClick={() => tell({ op: 'forward', ...picture })}>
          <NextIcon />
        </IconButton>
        <TextInput
          aria-label="Address"
          placeholder="https://"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={url}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" busy={busy}>
          Go
        </Button>
      </form>
      <div className={css.bar}>
        <Select
          aria-label="Inspect"
          value={look}
          onChange={({ target }) => setLook(views.find(([mode]) => mode === target.value)?.[0] ?? look)}
          options={views}
        />
        <Button busy={busy} onClick={() => tell({ op: 'observe', mode: look })}>
          Inspect
        </Button>
        <Button variant="quiet" busy={busy} onClick={() => tell({ op: 'reload', ...picture })}>
          Reload
        </Button>
      </div>
      {!looksOnly && <Act busy={busy} tell={tell} />}
    </>
  );
}

function Act({ busy, tell }: { busy: boolean; tell: (command: Command) => void }) {
  const [verb, setVerb] = useState<Verb>('click');
  const [target, setTarget] = useState('');
  const [value, setValue] = useState('');
  const act = submits(() => {
    const meant = /^e?\d+$|^[a-z]\d+e\d+$/.test(target) ? { ref: target } : { selector: target };
    tell({
      op: 'act',
      verb,
      ...(target !== '' && { target: meant }),
      ...(value !== '' && { value }),
      ...picture,
    });
    setValue('');
  });
  return (
    <Fold summary="Page action">
      {() => (
        <form className={form.form} onSubmit={act}>
          <div className={form.columns}>
            <Field label="Action">
              <Select
                value={verb}
                onChange={({ target: { value: next } }) =>
                  setVerb(verbs.find(([one]) => one === next)?.[0] ?? verb)
                }
                options={verbs}
              />
            </Field>
            <TextField
              label="Target"
              hint="An element ref or a CSS selector."
              value={target}
              onChange={setTarget}
            />
            <TextField
              label="Value"
              hint="For typed text, only its length is stored."
              value={value}
              autoComplete="off"
              onChange={setValue}
            />
          </div>
          <div>
            <Button type="submit" busy={busy}>
              Run
            </Button>
          </div>
        </form>
      )}
    </Fold>
  );
}
