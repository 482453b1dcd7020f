import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createModernServer } from './modern-only-server.ts';

serveStdio(() => createModernServer(), { legacy: 'reject' });
