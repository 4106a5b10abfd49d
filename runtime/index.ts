/** What an application imports from `acmcp`. */
export type { McpConfig, PagesConfig } from './boot/config.ts'
export { ConfigError } from './boot/settings/checks.ts'
export {
  type AppConfig,
  type ApprovalConfig,
  ApprovalRefused,
  ApprovalRequired,
  type AskedApproval,
  type ClientConfig,
  defineApp,
  type EnterpriseConfig,
  IdempotencyRefused,
  type KeptRows,
  type OnErase,
  type UserDesk,
  type WholeRoute as Route,
} from './capabilities/exports.ts'
export type {
  AppPlugin,
  CookieOptions,
  HttpLimits,
  OnSignIn,
  ParseBytes,
  PluginApp,
  PluginEntry,
  PluginReply,
  PluginRequest,
  Responder,
  SigningIn,
} from './contract/application.ts'
export type { BusMessage } from './contract/bus.ts'
export type { HttpRequest, Session } from './contract/http.ts'
export type { IdempotentCall } from './contract/idempotent-call.ts'
export type {
  ElicitedQuestion,
  InputForm,
  InputQuestion,
  InputRequest,
  InputUrl,
  McpCall,
  ResourceMetadata,
} from './contract/mcp.ts'
export type {
  Body,
  Checked,
  Cookie,
  DateTime,
  Elicited,
  Email,
  Float64,
  Header,
  Int32,
  Int64,
  Named,
  Url,
  Uuid,
} from './contract/parameter-types.ts'
export type { Access, ScopeConfig, ScopesConfig, VerifyToken } from './contract/scopes.ts'
export type {
  MessageListener,
  Services,
  SubscribeOptions,
  User,
  UserAttributes,
  UserStanding,
} from './contract/store.ts'
export {
  AuthServerError,
  Conflict,
  Forbidden,
  InputRequired,
  JsonParseError,
  MissingError,
  NotAcceptable,
  NotFound,
  ParamError,
  type ParamFailure,
  PayloadTooLarge,
  RouteError,
  SignInRefused,
  TooManyRequests,
  Unauthorized,
  UnsupportedMediaType,
  ValueError,
} from './errors.ts'
export { bearerToken } from './http/access/bearer.ts'
export { UploadedFile } from './http/input/uploads.ts'
export type { StreamLike } from './http/output/byte-stream.ts'
export { ServerEvent, type ServerEventFields } from './http/output/events.ts'
export type { FileOptions } from './http/output/files.ts'
export { ResponseHeaders } from './http/output/response-headers.ts'
export { type PromptMessage, type ToolContent, toolResult } from './http/output/tool-result.ts'
export { ApplicationController } from './http/pipeline/application-controller.ts'
export { Controller, Rendered, type RenderOptions } from './http/pipeline/controller.ts'
export {
  CommonResponse,
  ContentResponse,
  InputResponse,
  ParameterResponse,
} from './http/pipeline/error-responses.ts'
export { rescueFrom } from './http/pipeline/rescue-from.ts'
export type { Socket } from './http/websocket/socket.ts'
export type { ProviderConfig } from './oauth/providers/presets.ts'
export { attributesOf } from './user-attributes.ts'
