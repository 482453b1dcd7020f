import { type CheckKind, failed, passed } from './shared/kind.ts';

export const turnCountUnder: CheckKind<'turnCountUnder'> = {
  type: 'turnCountUnder',
  stage: 'userValue',
  turnScopable: false,
  evaluate({ turns }, { turnCount }) {
    if (turnCount === undefined || !Number.isInteger(turnCount) || turnCount < 0)
      return failed('How many messages the user sent is not known');
    const found = `The user sent ${turnCount} messages; fewer than ${turns} allowed`;
    return turnCount < turns ? passed(found) : failed(found);
  },
};
