import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';
import { partFrom } from '../api/parts.ts';

export interface MenuProps<Value extends string = string> {
  trigger: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'menu' }>;
  label: string;
  options: readonly (readonly [value: Value, label: ReactNode])[];
  /** The selected option; omitted if the options are actions. */
  value?: Value;
  /** Shown above the options. */
  heading?: ReactNode;
  onChoose: (value: Value) => void;
}

const OpenMenu = partFrom(
  () => import('./open-menu.tsx'),
  'OpenMenu',
  ({ trigger }) => cloneElement(trigger, { 'aria-haspopup': 'menu' }),
);

/** A menu that opens at its trigger. Its code is loaded on first use. */
export function Menu<Value extends string>(props: MenuProps<Value>) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(props.trigger, { onClick: () => setWanted(true), 'aria-haspopup': 'menu' });
  if (!wanted) return closed;
  return <OpenMenu {...(props as unknown as MenuProps)} />;
}
