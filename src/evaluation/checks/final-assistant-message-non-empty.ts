import { type CheckKind, failed, passed } from './shared/kind.ts';

export const finalAssistantMessageNonEmpty: CheckKind<'finalAssistantMessageNonEmpty'> = {
  type: 'finalAssistantMessageNonEmpty',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate: (_check, { finalText }) =>
    finalText.trim() === '' ? failed('The last message has no text') : passed('The last message has text'),
};
