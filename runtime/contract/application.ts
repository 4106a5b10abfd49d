/** What an application writes in `defineApp`, in types of our own: naming those of Fastify or Kysely would draw hundreds of
 *  files into every program that imports `acmcp`. Real plugins and migrations fit; a test holds both. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpRequest, MaybePromise } from './http.ts'
import type { Logger, Services, User, UserAttributes } from './store.ts'

/** What a plugin sees of Fastify that does not import its types (`FastifyPluginAsync` of `fastify` tells all). */
export interface PluginApp {
  readonly log: Logger
  addHook(
    name: 'onRequest' | 'preValidation' | 'preHandler' | 'onResponse',
    hook: PluginFunctions['onRequest'],
  ): unknown
  addHook(name: 'preParsing' | 'preSerialization' | 'onSend', hook: PluginFunctions['onSend']): unknown
  addHook(name: 'onClose', hook: PluginFunctions['onClose']): unknown
}

/** Any Fastify plugin, whatever options it takes: it calls `done`, or returns a promise. */
export type AppPlugin = PluginFunctions['plugin']

/** Methods, whose parameters TypeScript compares both ways: a real plugin may ask for more of Fastify than is told here. */
interface PluginFunctions {
  plugin(app: PluginApp, options: never, done: (error?: Error) => void): unknown
  onRequest(request: PluginRequest, reply: PluginReply, done: PluginDone): unknown
  onSend(request: PluginRequest, reply: PluginReply, payload: unknown, done: PluginDone): unknown
  onClose(app: object, done: () => void): unknown
}

/** `payload` is for the hooks that are given one. */
type PluginDone = (error?: Error | null, payload?: unknown) => void

export interface PluginRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly headers: Record<string, string | string[] | undefined>
  readonly query: unknown
  readonly params: unknown
  readonly raw: IncomingMessage
}

export interface PluginReply {
  readonly statusCode: number
  readonly raw: ServerResponse
  code(status: number): this
  header(name: string, value: string | number | readonly string[]): this
  send(payload?: unknown): unknown
}

/** A plugin, or a plugin with its options. */
export type PluginEntry = AppPlugin | readonly [AppPlugin, Readonly<Record<string, unknown>>]

/** A forward migration: `Migration` of `acmcp/store` is the type to write it with, and names what `database` can do. */
export interface AppMigration {
  up(database: UntypedDatabase): Promise<void>
  /** Is never run: the type is Kysely's. */
  down?(database: UntypedDatabase): Promise<void>
  /** Whether instances of the version before, which do not have it, serve on with the schema that it makes: it adds what they
   *  do not look at. Default: no, and they refuse to start. */
  readonly additive?: boolean
}

/** A Kysely, of which nothing is told here. */
export interface UntypedDatabase {
  readonly isTransaction: boolean
}

/** Attributes of a cookie. Source: RFC 6265, and `@fastify/cookie`, which writes them. */
export interface CookieOptions {
  readonly domain?: string
  readonly path?: string
  readonly expires?: Date
  /** In seconds. */
  readonly maxAge?: number
  readonly httpOnly?: boolean
  readonly secure?: boolean
  readonly sameSite?: 'lax' | 'none' | 'strict' | boolean
  readonly partitioned?: boolean
  readonly priority?: 'low' | 'medium' | 'high'
  /** Default: percent-encoding. */
  encode?(value: string): string
}

export interface HttpLimits {
  readonly bodyBytes: number
  /** Of all header lines together. */
  readonly headerBytes: number
  readonly urlBytes: number
  readonly headersSeconds: number
  /** For a whole request, its body included. */
  readonly requestSeconds: number
  readonly keepAliveSeconds: number
}

/** What a body may hold. `bodyBytes` bounds a body that is read as a whole, and all fields of a multipart form. */
export interface BodyLimits {
  readonly bodyBytes: number
  /** One uploaded file. */
  readonly fileBytes: number
  readonly files: number
  readonly fields: number
  /** One field of a multipart form. */
  readonly fieldBytes: number
}

/** Proxies in front of this process: their number, or their addresses and networks. */
export type TrustedProxies = number | readonly string[]

/** Turns the bytes of a body into the value that parameters are read from: texts, numbers, booleans, null, lists and
 *  plain objects. */
export type ParseBytes = (bytes: Uint8Array, request: HttpRequest) => unknown

/** Turns what a method returned into the body of its media type. Never called with `undefined`, which has no body. */
export type Responder = (
  value: unknown,
  request: HttpRequest,
) => string | Uint8Array | Promise<string | Uint8Array>

/** One client of `oauth.confidentialClients`: one that keeps a secret, set up by hand at both sides. */
export interface ConfidentialClientConfig {
  /** Its `client_id`: 1 to 64 of a-z, 0-9 and -. */
  readonly id: string
  /** The consent page shows it. */
  readonly name: string
  /** Where its codes go, to the letter; no other client may have them. */
  readonly redirectUris: readonly string[]
  /** The environment variable that holds its secret, or several with commas; `<name>_FILE` names a file. */
  readonly secret: string
}

/** An application's own check of a code or refresh token that has passed every other check and is about to be spent. It
 *  refuses by throwing: an `AuthServerError`, or any error with an OAuth `error` and a `status`, keeps both. See
 *  templates/docs/sign-in.md. */
// Source: rules.md, Token 6.
export type CheckToken = (claims: Readonly<Record<string, unknown>>) => void | Promise<void>

/** A sign-in that the provider has confirmed and nothing is made of yet. */
export interface SigningIn {
  /** Its name in `providers`; `dev` for the development login. */
  readonly provider: string
  /** Frozen JSON: the claims of the verified ID token, with those of the user info where that was asked; of GitHub its user. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The record as it will be. */
  readonly user: User
  readonly services: Services
}

/** Called at each sign-in before the user is signed in. What it returns is kept with the user in place of what was there (`attributesOf`):
 *  a plain object that is JSON, 8 KB at most; null or undefined = nothing. It refuses with `SignInRefused`. See templates/docs/roles.md. */
// Source: decisions/oauth.md, Roles.
export type OnSignIn = (signIn: SigningIn) => MaybePromise<UserAttributes | null | undefined>

/** A change of the contract that the team has accepted: `acmcp build --against` lets it pass. See templates/docs/contract.md. */
export interface AcceptedChange {
  /** The rule: `CON012`. */
  readonly rule: string
  /** What it is about, or the place in it, as the report names it: `POST /api/orders`, `Order total`. */
  readonly at: string
  /** The last day on which it counts: `2027-01-31`. */
  readonly until: string
  readonly because: string
}
