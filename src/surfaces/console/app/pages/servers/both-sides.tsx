import { useState } from 'react';
import common from '../../kit/common.module.css';
import { JsonSide, type Typed, typedFrom } from '../../kit/form/json-side.tsx';
import type { Schema } from '../../kit/form/schema.ts';
import { SchemaForm } from '../../kit/form/schema-form.tsx';

/** A form and its JSON side by side, kept in sync. */
export function BothSides({
  schema,
  given,
  onChange,
}: {
  schema: Schema;
  given: Typed;
  onChange: (next: Typed) => void;
}) {
  // Remounts the fields when the JSON is edited, to discard partially typed values.
  const [edits, setEdits] = useState(0);
  return (
    <div className={common.halves}>
      <SchemaForm
        key={edits}
        schema={schema}
        value={given.value}
        onChange={(value) => onChange(typedFrom(value))}
      />
      <JsonSide
        given={given}
        onChange={(next) => {
          setEdits(edits + 1);
          onChange(next);
        }}
      />
    </div>
  );
}
