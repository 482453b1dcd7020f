import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';
import { partFrom } from '../api/parts.ts';

export interface MenuProps<Value extends string = string> {
  trigger: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'menu' }>;
  label: string;
  options: readonly (readonly [value: Value, label: ReactNode])[];
  /** The one that is chosen; left out where each is something to do. */
  value?: Value;
  /** Stands above them. */
  heading?: ReactNode;
  onChoose: (value: Value) => void;
}

const OpenMenu = partFrom(
  () => import('./open-menu.tsx'),
  'OpenMenu',
  ({ trigger }) => cloneElement(trigger, { 'aria-haspopup': 'menu' }),
);

/** One of several, from a list that opens at its button. The list's code is loaded when it is first opened. */
export function Menu<Value extends string>(props: MenuProps<Value>) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(props.trigger, { onClick: () => setWanted(true), 'aria-haspopup': 'menu' });
  if (!wanted) return closed;
  return <OpenMenu {...(props as unknown as MenuProps)} />;
}
