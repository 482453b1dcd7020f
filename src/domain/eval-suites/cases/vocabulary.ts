import type { Check } from '../../../contract/eval-checks.ts';
import type { Step } from '../../../contract/eval-steps.ts';
import { vocabularyHeader } from '../../../contract/eval-vocabulary.ts';
import { invalid } from '../../base/refusals.ts';

/** Vocabulary version a caller reads and writes. */
export type Vocabulary = '1' | '2';

export function vocabularyOf({ headers }: { headers: { [vocabularyHeader]: Vocabulary } }): Vocabulary {
  return headers[vocabularyHeader];
}

/** Storage uses `gating`. Refuses terms the caller's vocabulary does not have. */
export function storedCheck(check: Check, vocabulary: Vocabulary, path: string): Check {
  if (check.role !== 'required') return check;
  if (vocabulary === '1')
    throw invalid(
      `${path}.role: "required" belongs to vocabulary 2. Write "gating", or send ${vocabularyHeader}: 2`,
    );
  return { ...check, role: 'gating' };
}

export function shownCheck(check: Check, vocabulary: Vocabulary): Record<string, unknown> {
  return vocabulary === '2' && check.role === 'gating' ? { ...check, role: 'required' } : { ...check };
}

export function storedSteps(steps: readonly Step[], vocabulary: Vocabulary): Step[] {
  return steps.map((step, index) => {
    if (step.kind !== 'assert' || !('type' in step.assertion)) return step;
    return {
      ...step,
      assertion: storedCheck(step.assertion, vocabulary, `steps.${index}.assertion`),
    };
  });
}

export function shownSteps(steps: readonly Step[], vocabulary: Vocabulary): { id: string; kind: string }[] {
  return steps.map((step) =>
    step.kind === 'assert' && 'type' in step.assertion
      ? { ...step, assertion: shownCheck(step.assertion, vocabulary) }
      : step,
  );
}

/** The value and the spelling used; refuses two spellings at once. `path` is the body's position in the request. */
export function oneSpelling<Body extends object, Name extends keyof Body & string>(
  body: Body,
  spellings: readonly Name[],
  path = '',
): { name: Name; value: Exclude<Body[Name], undefined> } | undefined {
  const [name, another] = spellings.filter((spelling) => body[spelling] !== undefined);
  if (name === undefined) return undefined;
  if (another !== undefined)
    throw invalid(`${path}${another}: Cannot be combined with ${name}; send only one`);
  return { name, value: body[name] as Exclude<Body[Name], undefined> };
}
