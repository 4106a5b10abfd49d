/** What an application imports from `acmcp`. */
export { type AppConfig, defineApp, type McpConfig } from './config.ts'
export { ConfigError } from './config-fields.ts'
export type { HttpRequest, McpCall, ResourceMetadata, Route, Services, Session, User } from './contract.ts'
export {
  AuthServerError,
  CommonResponse,
  Conflict,
  ContentResponse,
  Forbidden,
  type InputForm,
  InputRequired,
  JsonParseError,
  MissingError,
  NotAcceptable,
  NotFound,
  ParamError,
  ParameterResponse,
  type ParamFailure,
  PayloadTooLarge,
  RouteError,
  Unauthorized,
  UnsupportedMediaType,
  ValueError,
} from './errors.ts'
export { ApplicationController } from './http/application-controller.ts'
export type { StreamLike } from './http/byte-stream.ts'
export { Controller, Rendered, type RenderOptions } from './http/controller.ts'
export { ServerEvent, type ServerEventFields } from './http/events.ts'
export type { FileOptions } from './http/file-answer.ts'
export type { ParseBytes } from './http/formats.ts'
export type { HttpLimits } from './http/limits.ts'
export type { AppPlugin, PluginEntry } from './http/plugins.ts'
export { rescueFrom } from './http/rescue-from.ts'
export type { Responder } from './http/responders.ts'
export { type CookieOptions, ResponseHeaders } from './http/response-headers.ts'
export type { Socket } from './http/socket.ts'
export { type ToolContent, toolResult } from './http/tool-result.ts'
export { UploadedFile } from './http/upload.ts'
export type { ProviderConfig } from './oauth/presets.ts'
export { database, rowIdType } from './store/database.ts'
export type { Database, Migration } from './store/store.ts'
export type {
  Body,
  Cookie,
  DateTime,
  Email,
  Float64,
  Header,
  Int32,
  Int64,
  Named,
  Url,
  Uuid,
} from './types.ts'
