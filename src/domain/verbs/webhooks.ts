export { redeliverWebhook, replayWebhook, testWebhook } from '../webhooks/again.ts';
export {
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
} from '../webhooks/read.ts';
export { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from '../webhooks/write.ts';
