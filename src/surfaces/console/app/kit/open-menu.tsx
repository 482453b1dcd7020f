import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import css from './menu.module.css';

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

/** Open on mount, because the click on the trigger loads it. */
export function OpenMenu({ trigger, heading, ...choice }: MenuProps) {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={css.place} sideOffset={4} align="start" collisionPadding={8}>
          <Base.Popup className={css.popup}>
            {heading && <div className={css.heading}>{heading}</div>}
            {choice.value === undefined ? (
              <MenuItems {...choice} />
            ) : (
              <Choice {...choice} value={choice.value} />
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type Listed = Pick<MenuProps, 'label' | 'options' | 'onChoose'>;

function Choice({ label, options, value, onChoose }: Listed & { value: string }) {
  return (
    <Base.RadioGroup value={value} onValueChange={(next: string) => onChoose(next)} aria-label={label}>
      {options.map(([one, word]) => (
        <Base.RadioItem key={one} value={one} closeOnClick className={css.item}>
          {word}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

function MenuItems({ label, options, onChoose }: Listed) {
  return (
    <Base.Group aria-label={label}>
      {options.map(([one, word]) => (
        <Base.Item key={one} className={css.item} onClick={() => onChoose(one)}>
          {word}
        </Base.Item>
      ))}
    </Base.Group>
  );
}
