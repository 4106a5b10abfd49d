/** What an application imports from `acmcp`. */
export { type AppConfig, ConfigError, defineApp, type McpConfig } from './config.ts'
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
  RouteError,
  Unauthorized,
  UnsupportedMediaType,
  ValueError,
} from './errors.ts'
export { Controller, Rendered, type RenderOptions, ResponseHeaders } from './http/controller.ts'
export { type ToolContent, toolResult } from './http/tool-result.ts'
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
