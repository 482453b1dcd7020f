import { from, noneOf, notApplicable, type Outcome, satisfied, violated } from '../../check.ts';
import type { Evidence } from '../../evidence.ts';
import type { ToolFacts } from '../../tool-facts.ts';

/** No tool has the problem. */
export function noTool({ tools }: Evidence, has: (tool: ToolFacts) => boolean, problem: string): Outcome {
  return from(tools, (all) => {
    if (all.length === 0) return notApplicable('The server has no tools');
    return noneOf(
      all.filter(has).map(({ name }) => name || '(no name)'),
      problem,
    );
  });
}

export function toolsAreWellFormed({ tools }: Evidence): Outcome {
  return from(tools, (all) => {
    if (all.length === 0) return violated({ problem: 'The server lists no tools' });
    const wrong = all.filter(({ problem }) => problem !== undefined);
    const named = wrong.map(({ name, problem }) => `${name || '(no name)'} ${problem}`);
    return wrong.length === 0
      ? satisfied({ tools: all.length })
      : noneOf(named, 'Clients refuse these tools');
  });
}

export function namesAreUnique({ tools }: Evidence): Outcome {
  return from(tools, (all) => {
    const seen = new Set<string>();
    const twice = new Set<string>();
    for (const { name } of all) (seen.has(name) ? twice : seen).add(name);
    return noneOf([...twice], 'Several tools have this name');
  });
}

const longestToolName = 64;

export function namesAreShort(evidence: Evidence): Outcome {
  const long = ({ name }: ToolFacts): boolean => name.length > longestToolName;
  return noTool(evidence, long, `The name is longer than ${longestToolName} characters`);
}

export function describesTools(evidence: Evidence): Outcome {
  return noTool(evidence, ({ description }) => description === '', 'The tool has no description');
}

export function hintsAgree(evidence: Evidence): Outcome {
  return noTool(
    evidence,
    ({ hints }) => hints.readOnly === true && hints.destructive === true,
    'readOnlyHint and destructiveHint are both true',
  );
}

const instructions =
  /\bignore (?:all |any |the )?(?:previous|prior|other|above)\b|\byou must (?:always|never)\b|\balways (?:call|use) this\b|\bdo not (?:tell|mention|reveal|show)\b|\bsystem prompt\b|\bbefore (?:using|calling) any other\b|<\/?(?:system|important|instructions?)>/i;

/** Words that speak to the model instead of saying what the tool does. */
export function describesOnly(evidence: Evidence): Outcome {
  return noTool(
    evidence,
    ({ description }) => instructions.test(description),
    'The description gives the model orders',
  );
}

const longDescription = 1_000;

export function describesBriefly(evidence: Evidence): Outcome {
  return noTool(
    evidence,
    ({ description }) => description.length > longDescription,
    `The description is longer than ${longDescription} characters`,
  );
}

export function describesResults(evidence: Evidence): Outcome {
  return noTool(evidence, ({ hasOutputSchema }) => !hasOutputSchema, 'The tool has no outputSchema');
}

export function answersCalls({ calls }: Evidence): Outcome {
  return from(calls, (made) => {
    if (made.length === 0) return notApplicable('No tool can be called without arguments');
    const failed = made.filter(({ problem }) => problem !== undefined);
    if (failed.length === 0) return satisfied({ called: made.map(({ tool }) => tool) });
    return noneOf(
      failed.map(({ tool, problem }) => `${tool}: ${problem}`),
      'The call came to nothing',
    );
  });
}

const manyTools = 40;

export function offersFewTools({ tools }: Evidence): Outcome {
  return from(tools, (all) =>
    all.length <= manyTools
      ? satisfied({ tools: all.length })
      : violated({ problem: `Models choose badly among more than ${manyTools} tools`, tools: all.length }),
  );
}
