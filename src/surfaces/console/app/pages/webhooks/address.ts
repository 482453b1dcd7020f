import type { Raw } from '../../addresses.ts';

export const deliveryStates = ['pending', 'delivered', 'dead'] as const;

export interface WebhookSearch {
  /** Whether the form is open. */
  edit?: true | undefined;
  state?: (typeof deliveryStates)[number] | undefined;
  /** The expanded delivery. */
  delivery?: string | undefined;
}

export function webhookSearch(raw: Raw): WebhookSearch {
  const { edit, state, delivery } = raw;
  return {
    edit: edit === true ? true : undefined,
    state: deliveryStates.find((one) => one === state),
    delivery: typeof delivery === 'string' ? delivery : undefined,
  };
}
