export * from "./api.js";
export { ApiError, NoAnswerError, SignatureError, verifyWebhook, type Answer, type ClientOptions, type FileBody } from "./client.js";
