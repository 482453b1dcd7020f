import type { Input, Output } from '../../../api/index.ts';

export type SessionBrowser = NonNullable<Output<'getChatSession'>['browser']>;
export type Command = Input<'chatSessionBrowserCommand'>['body']['command'];
export type Entry = Output<'chatSessionBrowserTrace'>['entries'][number];
