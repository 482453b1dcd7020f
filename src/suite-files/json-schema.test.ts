import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { broken, changed, firstVersion, secondVersion } from './example.ts';
import { suiteFileJsonSchema } from './json-schema.ts';

const schema = suiteFileJsonSchema('https://drydock.example.com/');
const validate = new Ajv2020({ strict: false }).compile(schema);

test('it says where it is kept', () => {
  expect(schema.$id).toBe('https://drydock.example.com/schemas/suite-file.json');
});

test.each([firstVersion, secondVersion])(
  'an editor accepts a valid file of version $schemaVersion',
  (file) => {
    validate(file);
    expect(validate.errors).toBeNull();
  },
);

test.each(broken)('an editor refuses %#: %$', (file, path, value) => {
  expect(validate(changed(file, path, value))).toBe(false);
});
