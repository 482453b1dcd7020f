import { expect, test } from 'vitest';
import { z } from 'zod';
import { Components } from './components.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a schema that reads the same both ways is one component', () => {
  const Tag = z.enum(['a', 'b']).meta({ id: 'Tag' });
  const components = new Components();
  const draft = { sent: components.add(Tag, 'input'), answered: components.add(Tag, 'output') };
  const { part, schemas } = components.finish(draft);
  expect(part).toEqual({ sent: ref('Tag'), answered: ref('Tag') });
  expect(Object.keys(schemas)).toEqual(['Tag']);
});

test('a schema that reads differently in a request has a twin, and so has what holds it', () => {
  const Inner = z.object({ size: z.number().default(1) }).meta({ id: 'Inner' });
  const Outer = z.looseObject({ inner: Inner }).meta({ id: 'Outer' });
  const components = new Components();
  const draft = { sent: components.add(Outer, 'input'), answered: components.add(Outer, 'output') };
  const { part, schemas } = components.finish(draft);
  expect(part).toEqual({ sent: ref('OuterInput'), answered: ref('Outer') });
  expect(schemas['OuterInput']?.properties).toEqual({ inner: ref('InnerInput') });
  expect(schemas['Outer']?.properties).toEqual({ inner: ref('Inner') });
  expect(schemas['InnerInput']?.required).toBeUndefined();
  expect(schemas['Inner']?.required).toEqual(['size']);
});

test('a schema may hold itself', () => {
  const Node = z
    .object({
      get children() {
        return z.array(Node);
      },
    })
    .meta({ id: 'Node' });
  const components = new Components();
  const { part, schemas } = components.finish(components.add(Node, 'output'));
  expect(part).toEqual(ref('Node'));
  expect(schemas['Node']?.properties).toEqual({ children: { type: 'array', items: ref('Node') } });
});

test('two schemas with one id are refused', () => {
  const components = new Components();
  components.add(z.object({ a: z.string() }).meta({ id: 'Same' }), 'output');
  const other = z.object({ b: z.string() }).meta({ id: 'Same' });
  expect(() => components.add(other, 'output')).toThrow(
    'Two different schemas of the contract have the ID Same',
  );
});

test('requests are closed where the contract says so; answers are open and keep what a map holds', () => {
  const Closed = z.strictObject({ counts: z.record(z.string(), z.number()) });
  const components = new Components();
  expect(components.add(Closed, 'input').additionalProperties).toBe(false);
  const answered = components.add(Closed, 'output');
  expect(answered).not.toHaveProperty('additionalProperties');
  expect(answered.properties?.['counts']?.additionalProperties).toEqual({ type: 'number' });
});
