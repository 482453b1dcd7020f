import type { Check } from '../../../check.ts';
import type { ToolFacts } from '../../../tool-facts.ts';
import { noTool } from '../../shared/tools.ts';

/** By the name of a parameter, its words set apart by `_`. */
const forbidden =
  /(?:^|_)(?:api_?key|access_?token|card_?(?:number|cvc|cvv)|credit_?card|cvc|cvv|iban|medical_record|mrn|passcode|passwd|password|patient_id|pin_code|private_?key|social_?security(?:_number)?|ssn)(?:$|_)/;

function asksForSecrets({ parameters }: ToolFacts): boolean {
  return parameters.some(({ name }) => {
    const own = name.slice(name.lastIndexOf('.') + 1);
    return forbidden.test(
      own
        .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
        .replaceAll('-', '_')
        .toLowerCase(),
    );
  });
}

export const check: Check = {
  id: 'openai.tools.no-sensitive-inputs',
  title: 'No tool asks for credentials, card numbers or health records',
  lane: 'directory-policy',
  class: 'required',
  provenance: 'wire',
  intrusiveness: 'read-only',
  source: { page: 'Plugins: app guidelines', section: 'Privacy' },
  remediation: 'Remove the parameter; sign people in with OAuth, and pay outside of the conversation.',
  evaluate: (evidence) => noTool(evidence, asksForSecrets, 'A parameter asks for what may not be asked for'),
};
