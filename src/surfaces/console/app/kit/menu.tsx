import { cloneElement, useState } from 'react';
import { partFrom } from '../api/parts.ts';
import type { MenuProps } from './open-menu.tsx';

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
