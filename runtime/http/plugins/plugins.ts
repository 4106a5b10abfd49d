/** Fastify plugins of the application: registered before the routes, so that their hooks cover every one of them.
 *  Source: house.md, The runtime; decisions/http.md, Plugins. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { AppPlugin, PluginEntry } from '../../contract/application.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { injectedCall } from './inject.ts'
import { isPluginMistake, PluginMistake } from './taken-routes.ts'

/** Registers them in order. Rejects with `PluginMistake` where two of them, or one and our routes, do not go together: `refused`
 *  says why. A plugin without a `prefix` is not encapsulated: hooks that it adds cover the routes, whether
 *  or not it was made with `fastify-plugin`. */
export async function registerPlugins(
  app: FastifyInstance,
  entries: readonly PluginEntry[],
  refused: readonly string[],
): Promise<void> {
  const nested = rejectNested(app)
  for (const [at, entry] of entries.entries()) {
    const [plugin, options] = typeof entry === 'function' ? [entry, {}] : entry
    const registered = rejecting('prefix' in options ? plugin : withoutEncapsulation(plugin))
    try {
      await app.register(registered as FastifyPluginCallback<object>, options) // its options are its own affair
      const [reason] = refused
      if (reason !== undefined) throw new PluginMistake(reason)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `the plugin '${nameOf(plugin, at)}' of app/config.ts failed: ${reason}`
      throw isPluginMistake(error) ? new PluginMistake(message) : new Error(message, { cause: error })
    }
  }
  nested.end()
}

/** What plugins register in turn rejects as they do, until that ends: every instance of theirs has this `register`. */
function rejectNested(app: FastifyInstance): { end(): void } {
  const { register } = app
  const safe = (plugin: unknown, ...options: unknown[]): unknown =>
    Reflect.apply(register, app, [
      typeof plugin === 'function' ? rejecting(plugin as AppPlugin) : plugin,
      ...options,
    ])
  Object.assign(app, { register: safe })
  return { end: () => void Object.assign(app, { register }) }
}

const displayName = Symbol.for('fastify.display-name')

/** Made with `fastify-plugin` it has another name than its function; without any it is known by its place. */
function nameOf(plugin: AppPlugin, at: number): string {
  const displayed: unknown = Reflect.get(plugin, displayName)
  const isNamed = typeof displayed === 'string' && displayed !== ''
  return (isNamed ? displayed : plugin.name) || `plugins[${at}]`
}

const skipOverride = Symbol.for('skip-override')

/** The same function with the mark by which Fastify leaves it unencapsulated. */
function withoutEncapsulation(plugin: AppPlugin): AppPlugin {
  return new Proxy(plugin, {
    get: (target, name) => (name === skipOverride ? true : Reflect.get(target, name)),
  })
}

/** What it throws at once rejects its registration: in Fastify it would end the process. */
const rejecting = (plugin: AppPlugin): AppPlugin =>
  new Proxy(plugin, {
    apply: (target, self, call: Parameters<AppPlugin>): unknown => {
      try {
        return Reflect.apply(target, self, call)
      } catch (error) {
        const [, , done] = call
        return done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })

/** Mounts routes behind the plugins: the body stays unread, as `preParsing` hooks leave it, and reaches the handler as a
 *  stream. Fastify would refuse a malformed `Content-Type` before the filters, so it sees another one. */
export async function mountAfterPlugins(
  app: FastifyInstance,
  mount: (routes: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', (request, payload, done) => {
      if (!isBeingRead(payload)) return done(null, payload)
      readAlong(request, payload).then((body) => done(null, body), done)
    })
    routes.addHook('onRequest', hideMalformedType)
    routes.addHook('preHandler', restoreType)
    mount(routes)
  })
}

const sent = new WeakSet<Readable>()

function asSent(body: Readable): Readable {
  sent.add(body)
  return body
}

/** Whether a body is the one that was sent, in a stream of its own. */
export const isAsSent = (body: unknown): boolean => sent.has(body as Readable) // a body that is no stream is never in it

/** Whether a hook has begun to read what it leaves to us (fastify-raw-body): what comes before the route asks for it would be lost. */
const isBeingRead = (payload: Readable): boolean =>
  payload.readableFlowing === true || payload.listenerCount('data') + payload.listenerCount('readable') > 0

/** As Fastify does it: to the end, so that hooks after this know it. A tool call keeps its own body. */
async function readAlong(request: FastifyRequest, payload: Readable): Promise<Readable> {
  const { bodyLimit = Number.POSITIVE_INFINITY } = request.routeOptions
  const chunks: Uint8Array[] = []
  let size = 0
  payload.on('data', (chunk: Uint8Array) => {
    size += chunk.length
    if (size <= bodyLimit) chunks.push(chunk)
  })
  await finished(payload, { writable: false })
  if (size > bodyLimit) throw new PayloadTooLarge(bodyLimit)
  if (payload !== request.raw) return Readable.from(chunks)
  return injectedCall(request.raw) === null ? asSent(Readable.from(chunks)) : payload
}

/** `Content-Type` headers that Fastify cannot read, by request. */
const malformedTypes = new WeakMap<object, string>()

function hideMalformedType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw
  const sent = headers['content-type']
  if (sent !== undefined && !/^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/.test(sent)) {
    malformedTypes.set(request.raw, sent)
    headers['content-type'] = 'application/octet-stream'
  }
  done()
}

function restoreType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const sent = malformedTypes.get(request.raw)
  if (sent !== undefined) request.raw.headers['content-type'] = sent
  done()
}

/** Mounts routes of an application without plugins: Fastify leaves every body alone. */
export function disableBodyParsing(app: FastifyInstance): void {
  for (const method of app.supportedMethods) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
}
