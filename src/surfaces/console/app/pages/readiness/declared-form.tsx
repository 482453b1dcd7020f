import { Button } from '../../kit/button.tsx';
import { downloadJson } from '../../kit/download.ts';
import { Field, Select, TextArea, TextInput } from '../../kit/field.tsx';
import form from '../../kit/form.module.css';
import { toastSuccess } from '../../kit/toast.tsx';
import { type DeclaredField, type Draft, declaredFields, declaredOf, draftOf } from './declared-fields.ts';
import css from './readiness.module.css';

const maxBytes = 1_000_000;
const fileName = 'declared.json';

export function DeclaredForm({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const declared = file.size > maxBytes ? undefined : draftOf(await file.text());
    if (declared) onChange({ ...draft, ...declared });
    else toastSuccess(`The file must be a JSON object of at most 1 MB, like the ${fileName} saved here`);
  };
  return (
    <>
      <div className={css.files}>
        <Field label="Load from file">
          <input
            type="file"
            accept="application/json,.json"
            onChange={({ target }) => void read(target.files?.[0])}
          />
        </Field>
        <Button onClick={() => downloadJson(fileName, declaredOf(draft))}>Save to file</Button>
      </div>
      {declaredFields.map(([group, fields]) => (
        <fieldset key={group} className={form.group}>
          <legend>{group}</legend>
          <div className={form.columns}>
            {fields.map((field) => (
              <Field key={field.name} label={field.label} hint={field.hint}>
                <Value
                  field={field}
                  value={draft[field.name] ?? ''}
                  onChange={(typed) => onChange({ ...draft, [field.name]: typed })}
                />
              </Field>
            ))}
          </div>
        </fieldset>
      ))}
    </>
  );
}

function Value({
  field: { kind },
  value,
  onChange,
}: {
  field: DeclaredField;
  value: string;
  onChange: (typed: string) => void;
}) {
  const shared = {
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (kind === 'yesNo')
    return (
      <Select
        {...shared}
        options={[
          ['', 'Not declared'],
          ['yes', 'Yes'],
          ['no', 'No'],
        ]}
      />
    );
  if (kind === 'text') return <TextArea {...shared} rows={3} maxLength={20_000} spellCheck />;
  if (kind === 'count') return <TextInput {...shared} type="number" min={0} max={1000} step={1} />;
  if (kind === 'url') return <TextInput {...shared} type="url" placeholder="https://" maxLength={2000} />;
  return <TextInput {...shared} maxLength={kind === 'words' ? 40_000 : 1000} />;
}
