import { z } from 'zod';

// Imported before any schema is made, by pages whose policy allows no code from text: zod would try, and be reported.
z.config({ jitless: true });
