import type { Verb } from '../context/verb.ts';
import { presentServer } from './present.ts';

export const getProjectServer: Verb<'getProjectServer'> = ({ server }) => presentServer(server);
