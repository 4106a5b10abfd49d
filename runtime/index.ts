/** What an application imports from `acmcp`. */
export { type AppConfig, ConfigError, defineApp, type McpConfig } from './config.ts'
export type { HttpRequest, ResourceMetadata, Route, Services, Session, User } from './contract.ts'
export {
  AuthServerError,
  CommonResponse,
  Conflict,
  ContentResponse,
  Forbidden,
  JsonParseError,
  MissingError,
  NotAcceptable,
  NotFound,
  ParamError,
  ParameterResponse,
  RouteError,
  Unauthorized,
  UnsupportedMediaType,
  ValueError,
} from './errors.ts'
export { Controller, Rendered, type RenderOptions } from './http/controller.ts'
export type { HttpLimits } from './http/limits.ts'
export type { AppPlugin, PluginEntry } from './http/plugins.ts'
export { rescueFrom } from './http/rescue-from.ts'
export { type CookieOptions, ResponseHeaders } from './http/response-headers.ts'
export type { Socket } from './http/socket.ts'
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
