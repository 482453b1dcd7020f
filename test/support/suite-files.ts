import { stringify } from 'yaml';
import { type EvalsWorld, prompt } from './eval-authoring.ts';
import type { Answer, RequestOptions } from './service.ts';

/** A file for the server of the world. */
export const suiteFile = (more: object = {}) => ({
  schemaVersion: '2',
  suite: { id: 'ships', name: 'Ships' },
  target: { servers: [{ name: 'harbour' }] },
  defaults: { model: 'drydock/rehearsal', iterations: 2, passThreshold: 0.5 },
  cases: [
    { id: 'lists', title: 'Lists', steps: [prompt()] },
    { id: 'inspects', title: 'Inspects', steps: [prompt('Inspect it')] },
  ],
  ...more,
});

export function putFile(
  { service, project, key }: EvalsWorld,
  file: string | object,
  id = 'ships',
  options: RequestOptions = {},
): Promise<Answer> {
  return service.request('PUT', `${project}/eval-suite-files/${id}`, {
    key,
    body: Buffer.from(typeof file === 'string' ? file : stringify(file)),
    ...options,
    headers: { 'content-type': 'application/yaml', ...options.headers },
  });
}
