import type { Step } from '../contract/eval-steps.ts';

type OnWidget = Extract<Step, { kind: 'interact' }>['action'];
export type Target = Extract<OnWidget, { kind: 'click' }>['target'];

/** Describes an element for messages. */
export function wordsOf({ role, text, css, testId, nth }: Target): string {
  const words = [
    role && `${role.role}${role.name === undefined ? '' : ` ${quoted(role.name)}`}`,
    text === undefined ? undefined : `text ${quoted(text)}`,
    css,
    testId === undefined ? undefined : `test ID ${quoted(testId)}`,
  ].filter((word) => word !== undefined);
  return `${words.join(' and ')}${nth === undefined ? '' : ` number ${nth}`}`.slice(0, 300);
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/** The action of a widget step and its element. Empty for other steps. */
export function describeWidgetStep(step: Step): { action?: string; locatorLabel?: string } {
  const done =
    step.kind === 'interact'
      ? step.action
      : step.kind === 'assert' && 'kind' in step.assertion
        ? step.assertion
        : undefined;
  if (!done) return {};
  const label =
    'target' in done
      ? wordsOf(done.target)
      : done.kind === 'textVisible'
        ? quoted(done.text)
        : done.kind === 'key'
          ? done.key
          : done.kind === 'widgetToolCalled'
            ? done.calledToolName
            : undefined;
  return { action: done.kind, ...(label !== undefined && { locatorLabel: label }) };
}
