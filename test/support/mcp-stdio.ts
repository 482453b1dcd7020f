/** An agent's command, as the command line starts it: the surface over stdio on a client of the service. */
import { createClient } from '../../src/surfaces/client/index.ts';
import { serveMcpStdio } from '../../src/surfaces/mcp/stdio.ts';

const { BASE_URL = '', API_KEY = '', TOOLSETS, READ_ONLY } = process.env;
const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });
await serveMcpStdio(client, { toolsets: TOOLSETS, readOnly: READ_ONLY === 'true', version: 'test' });
