/** Records what comes to a route with `@audit strict` over HTTP, before it is answered. Tool calls are recorded elsewhere. */
import type { AuditEntry, AuditTrail, CallDecision } from '../../contract/calls.ts'
import type { Guard, HttpRequest, HttpResponse, Session } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { AuthInfo, User } from '../../contract/store.ts'
import { Overloaded, PayloadTooLarge, RequestAborted, RouteTimeout } from '../../errors.ts'
import { traceIdOf } from '../../http/log/watched-requests.ts'
import { discard } from '../../http/output/byte-stream.ts'
import { toolCallOf } from '../../http/pipeline/controller.ts'
import type { CallMethod, RouteWrapper, ServeRequest } from '../../http/pipeline/request-context.ts'
import { StoreUnavailable } from '../../store/store.ts'

export interface RouteAuditOptions {
  readonly trail: AuditTrail
  /** Whose the bearer token is; null without one. */
  readonly findAuthInfo: (request: HttpRequest) => Promise<AuthInfo | null>
  readonly userOfSession: (session: Session) => Promise<User | null>
}

type Who = Pick<AuditEntry, 'user' | 'client' | 'grant'>

type RequestNames = Pick<AuditEntry, 'requestId' | 'traceId'>

const namesOf = (request: HttpRequest): RequestNames => ({
  requestId: request.id,
  traceId: traceIdOf(request),
})

const noActor: Who = { user: null, client: null, grant: null }

/** One route. */
export class RouteAudit {
  readonly #options: RouteAuditOptions
  readonly #route: string
  constructor(route: string, options: RouteAuditOptions) {
    this.#route = route
    this.#options = options
  }

  /** What wraps an HTTP route, or one that opens sockets. */
  wrappersOf({ websocket }: Pick<Route, 'websocket'>): readonly RouteWrapper[] {
    const around: RouteWrapper = { name: 'audit', place: 'around', wrap: (run) => this.#recording(run) }
    return websocket
      ? [around, { name: 'audit', place: 'method', wrap: (call) => this.#recordingOpening(call) }]
      : [around]
  }

  /** What it answers or throws is recorded first. Rejects when that cannot be done, and what it answers is dropped. The caller is looked up
   *  before anything runs: where the store is away, nothing does. Tool calls have rows of their own. */
  #recording(run: ServeRequest): ServeRequest {
    return async (request, services, time) => {
      const handle = (): Promise<HttpResponse> => run(request, services, time)
      if (toolCallOf(request) !== null) return handle()
      const begin = performance.now()
      const who = await this.#whoAsks(request)
      const record = (status: number): Promise<void> =>
        this.#record({ ...who, status, ...namesOf(request) }, begin)
      const outcome = await thrownAfter(handle, record)
      if (outcome.status === switchingProtocols) return outcome // recorded before it opened
      await record(outcome.status).catch((error: unknown) => {
        discard(outcome)
        throw error
      })
      return outcome
    }
  }

  /** The guards of a socket, whose refusal is recorded. */
  recordingRefusals(guards: readonly Guard[]): readonly Guard[] {
    return guards.map(
      (guard): Guard =>
        async (request) => {
          const begin = performance.now()
          const refusal = await guard(request)
          if (refusal === null) return null
          const who = whoOf(await this.#options.findAuthInfo(request))
          await this.#record({ ...who, status: refusal.status, ...namesOf(request) }, begin)
          return refusal
        },
    )
  }

  /** The row is there before the socket opens. */
  #recordingOpening(call: CallMethod): CallMethod {
    return async (context, args) => {
      const { request } = context
      const begin = performance.now()
      const who = await this.#whoAsks(request)
      await this.#record({ ...who, status: switchingProtocols, ...namesOf(request) }, begin)
      return call(context, args)
    }
  }

  async #whoAsks(request: HttpRequest): Promise<Who> {
    const auth = await this.#options.findAuthInfo(request)
    if (auth !== null) return whoOf(auth)
    const user = await this.#options.userOfSession(request.session)
    return { ...noActor, user: user?.id ?? null }
  }

  #record(known: Who & RequestNames & { readonly status: number }, begin: number): Promise<void> {
    const { status } = known
    return this.#options.trail.recordDurably({
      event: 'request',
      route: this.#route,
      decision: decisionOf(status),
      isError: status >= 400,
      milliseconds: performance.now() - begin,
      ...known,
    })
  }
}

async function thrownAfter(
  handle: () => Promise<HttpResponse>,
  record: (status: number) => Promise<void>,
): Promise<HttpResponse> {
  try {
    return await handle()
  } catch (error) {
    await record(statusFor(error))
    throw error
  }
}

/** As the server will answer it. */
function statusFor(error: unknown): number {
  if (error instanceof RequestAborted || error instanceof PayloadTooLarge || error instanceof RouteTimeout)
    return error.status
  return error instanceof StoreUnavailable || error instanceof Overloaded ? 503 : 500
}

const switchingProtocols = 101

const whoOf = (auth: AuthInfo | null): Who =>
  auth === null ? noActor : { user: auth.user?.id ?? null, client: auth.clientId, grant: auth.grantId }

/** The decision that the status stands for, whichever part of the route made it. */
const decisionOf = (status: number): CallDecision =>
  status === 401 || status === 403 || status === 429 ? status : 'allowed'
