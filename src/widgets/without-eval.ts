import { z } from 'zod';

// Disables zod's code generation, for pages whose policy forbids eval: the attempt would be reported as a violation.
// Import it before any schema is created.
z.config({ jitless: true });
