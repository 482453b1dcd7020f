import { type FormEvent, useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Field, Select, TextInput } from '../../../kit/field.tsx';
import { Fold } from '../../../kit/fold.tsx';
import form from '../../../kit/form.module.css';
import { NextIcon, PreviousIcon } from '../../../kit/icons.tsx';
import { textOf } from '../../../kit/text.ts';
import css from './browser.module.css';
import type { Command } from './types.ts';

type Look = Extract<Command, { op: 'observe' }>['mode'];
type Verb = Extract<Command, { op: 'act' }>['verb'];

const looks: [Look, string][] = [
  ['screenshot', 'a picture'],
  ['a11y', 'its parts, with refs'],
  ['text', 'its text'],
  ['dom', 'its HTML'],
  ['console', 'its console'],
  ['network', 'its requests'],
  ['dialog', 'its dialogs'],
  ['page_tools', 'its tools'],
];

const verbs: [Verb, string][] = [
  ['click', 'click'],
  ['type', 'type'],
  ['press', 'press a key'],
  ['select', 'choose an option'],
  ['hover', 'point at'],
  ['scroll', 'scroll'],
  ['accept_dialog', 'accept the dialog'],
  ['dismiss_dialog', 'dismiss the dialog'],
  ['activate_tab', 'go to a tab'],
  ['close_tab', 'close a tab'],
];

const picture = { observeAfter: 'screenshot' } as const;

/** Where to go, what to look at, and what to do there. */
export function Controls({
  busy,
  looksOnly,
  address,
  tell,
}: {
  busy: boolean;
  looksOnly: boolean;
  /** What is shown now. */
  address: unknown;
  tell: (command: Command) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const [look, setLook] = useState<Look>('screenshot');
  const url = typed ?? textOf(address);
  const go = (event: FormEvent): void => {
    event.preventDefault();
    if (url.trim() === '' || busy) return;
    setTyped(undefined);
    tell({ op: 'navigate', url: /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`, ...picture });
  };
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
          aria-label="What to look at"
          value={look}
          onChange={({ target }) => setLook(looks.find(([mode]) => mode === target.value)?.[0] ?? look)}
          options={looks}
        />
        <Button busy={busy} onClick={() => tell({ op: 'observe', mode: look })}>
          Look
        </Button>
        <Button look="quiet" busy={busy} onClick={() => tell({ op: 'reload', ...picture })}>
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
  const act = (event: FormEvent): void => {
    event.preventDefault();
    const meant = /^e?\d+$|^[a-z]\d+e\d+$/.test(target) ? { ref: target } : { selector: target };
    tell({
      op: 'act',
      verb,
      ...(target !== '' && { target: meant }),
      ...(value !== '' && { value }),
      ...picture,
    });
    setValue('');
  };
  return (
    <Fold summary="Do something on the page">
      {() => (
        <form className={form.form} onSubmit={act}>
          <div className={form.columns}>
            <Field label="What">
              <Select
                value={verb}
                onChange={({ target: { value: next } }) =>
                  setVerb(verbs.find(([one]) => one === next)?.[0] ?? verb)
                }
                options={verbs}
              />
            </Field>
            <Field label="Where" hint="A ref, as its parts show them, or a CSS selector.">
              <TextInput value={target} onChange={(event) => setTarget(event.target.value)} />
            </Field>
            <Field label="Value" hint="What to type is kept as its length only.">
              <TextInput
                value={value}
                autoComplete="off"
                onChange={(event) => setValue(event.target.value)}
              />
            </Field>
          </div>
          <div>
            <Button type="submit" busy={busy}>
              Do it
            </Button>
          </div>
        </form>
      )}
    </Fold>
  );
}
