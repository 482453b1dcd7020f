import { from, notApplicable, type Outcome } from '../../check.ts';
import type { Evidence, SkillFacts } from '../../evidence.ts';

/** For rules about what is submitted besides the server. */
export function whenImported({ importsSkills }: Evidence, judge: () => Outcome): Outcome {
  return importsSkills ? judge() : notApplicable('The server is submitted alone');
}

export function ofSkills(evidence: Evidence, judge: (skills: SkillFacts) => Outcome): Outcome {
  return whenImported(evidence, () => from(evidence.skills, judge));
}
