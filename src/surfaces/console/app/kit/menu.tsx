import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import { partFrom } from '../api/parts.ts';

const OpenMenu = partFrom(() => import('./open-menu.tsx'), 'OpenMenu');

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

/** One of several, from a list that opens at its button. What draws the list is loaded when it is first opened. */
export function Menu<Value extends string>(props: MenuProps<Value>) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(props.trigger, { onClick: () => setWanted(true), 'aria-haspopup': 'menu' });
  if (!wanted) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu {...(props as unknown as MenuProps)} />
    </Suspense>
  );
}
