export { listAgentOperations } from '../agent/operations.ts';
export { runAgentTurn } from '../agent/turn.ts';
