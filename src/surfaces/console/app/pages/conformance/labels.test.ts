import { expect, test } from 'vitest';
import { sourceText, stateOf, stateOfRun, targetName } from './labels.ts';

test('what ended is told by how it went, what was stopped as that, the rest by how far it is', () => {
  expect(stateOf({ outcome: 'failed', status: 'completed' })).toBe('failed');
  expect(stateOf({ outcome: 'incomplete', status: 'completed' })).toBe('notEstablished');
  expect(stateOf({ outcome: null, status: 'running' })).toBe('running');
  expect(stateOfRun({ outcome: 'incomplete', status: 'cancelled' })).toBe('cancelled');
});

test('whatever a reporter calls itself and its server, there are words for it', () => {
  expect(sourceText({ hosted: true, source: 'api' })).toBe('this service');
  expect(sourceText({ hosted: false, source: 'github_action' })).toBe('reported by a GitHub action');
  expect(sourceText({ hosted: false, source: 'constructor' })).toBe('reported by constructor');
  expect(targetName({ target: { kind: 'external', serverRef: 'weather' } })).toBe('weather');
  expect(targetName({ target: { kind: 'external', serverRef: {} } })).toBe('A server');
});
