/** Behavior of an operation while its feature is switched off: refuse, return 404 or a fixed answer, or run anyway. */
export interface Gate {
  readonly name: string;
  readonly off: 'refuse' | 'not found' | 'allow' | { readonly answer: unknown };
}

/** The gates of a feature, for the usual kinds of operations. */
function gate<const Name extends string>(name: Name) {
  return {
    write: { name, off: 'refuse' },
    readOne: { name, off: 'not found' },
    list: { name, off: { answer: { items: [] } } },
    always: { name, off: 'allow' },
    read: (answer: unknown) => ({ name, off: { answer } }),
  } as const satisfies Record<string, Gate | ((answer: unknown) => Gate)>;
}

export const swarms = gate('swarms');
export const studies = gate('user-testing');
