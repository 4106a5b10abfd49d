/** What the configuration and the environment say of telemetry, as functions that the other rooms take. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { WatchMessage, WatchRequest } from '../../contract/calls.ts'
import type { Endpoint } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { maskedByDefault, redacted, redactText } from '../../http/log/redact.ts'
import { metaToolNames } from '../../mcp/tools/tool-list.ts'
import type { Store } from '../../store/store.ts'
import { findSinks } from '../../telemetry/find-sinks.ts'
import type { OfferedNames } from '../../telemetry/message-facts.ts'
import { watchMessages } from '../../telemetry/messages.ts'
import { type ProcessSources, reportProcess, timed } from '../../telemetry/metrics/process-metrics.ts'
import { MetricRegistry } from '../../telemetry/metrics/registry.ts'
import { type ReadMetrics, type ScrapeOptions, scraped } from '../../telemetry/metrics/scrape.ts'
import { readerOf, type ShareMetrics } from '../../telemetry/metrics/share.ts'
import { attribute, metric } from '../../telemetry/names.ts'
import { watchRequests } from '../../telemetry/requests.ts'
import type { Sinks } from '../../telemetry/sinks.ts'
import { BootError } from '../boot-error.ts'
import type { Core } from '../capability.ts'
import type { Environment } from '../environment.ts'
import type { ResolvedConfig } from '../resolved-config.ts'

/** What telemetry does with an application; null and empty where it does nothing. */
export interface Telemetry {
  readonly watchRequest: WatchRequest | null
  readonly watchMessage: WatchMessage | null
  /** Is told of each look into the cache of credentials. */
  readonly onLookUp: ((isHit: boolean) => void) | null
  /** These and, where that is asked for, `/metrics`. Throws `BootError` when one of them is at that address. */
  readonly withMetrics: (others: readonly Endpoint[]) => readonly Endpoint[]
  /** Where `/metrics` is to have a port of its own, and what it answers there; else null. */
  readonly scrape: OwnPort | null
  /** Counts one more of what capabilities count; null = nobody reads it. */
  readonly count: Core['count']
  /** The store, whose verbs are measured. */
  readonly timedStore: (store: Store) => Store
  /** Reports of the process until the returned function is called. */
  readonly report: (reported: Reported) => () => void
}

/** What of an application can be counted. */
interface Reported {
  readonly server: object
  readonly streams: { count(): number }
  readonly store: Pick<Store, 'poolUse'>
}

/** See `listenForScrapes`. */
export interface OwnPort extends ScrapeOptions {
  readonly at: { readonly host: string; readonly port: number }
}

interface TelemetryParts {
  readonly bundle: AppBundle
  readonly config: Pick<ResolvedConfig, 'telemetry' | 'log'>
  readonly environment: Pick<Environment, 'baseUrl' | 'metrics'>
  readonly log: Logger
  /** Undefined = with nobody. */
  readonly shareMetrics?: ShareMetrics
}

export async function createTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const { bundle, config, environment, log, shareMetrics } = parts
  const { mode, toolArguments, toolResults } = config.telemetry
  const registry = environment.metrics === null ? null : new MetricRegistry()
  const sinks = await findSinks({ mode, version: bundle.version, registry })
  if (sinks.warning !== null) log.warn({}, sinks.warning)
  const isOff = mode === 'off' && sinks.instruments === null
  const shown = shownWithout([...maskedByDefault, ...config.log.mask])
  const messages = { offered: offeredNames(bundle), toolArguments, toolResults, shown }
  return {
    watchRequest: isOff ? null : watchRequests(sinks, publicAddress(environment.baseUrl)),
    watchMessage: isOff ? null : watchMessages(sinks, messages),
    ...measurements(sinks),
    ...scraping(environment, registry && readerOf(registry, shareMetrics)),
  }
}

function measurements({
  instruments,
}: Sinks): Pick<Telemetry, 'onLookUp' | 'count' | 'timedStore' | 'report'> {
  if (instruments === null)
    return {
      onLookUp: null,
      count: null,
      timedStore: (store) => store,
      report: () => () => {},
    }
  return {
    onLookUp: (isHit) =>
      instruments.add(metric.authLookUps, { [attribute.lookUpResult]: isHit ? 'hit' : 'miss' }, 1),
    count: ({ attribute, ...counter }, value) =>
      instruments.add({ kind: 'counter', ...counter }, { [attribute]: value }, 1),
    timedStore: (store) => ({
      ...timed(store, verbsIn(store), instruments),
      verbs: (make) => {
        const verbs = store.verbs(make)
        return timed(verbs, verbsIn(verbs), instruments)
      },
    }),
    report: (reported) => reportProcess(instruments, sourcesOf(reported)),
  }
}

function sourcesOf({ server, streams, store }: Reported): ProcessSources {
  return {
    streams: () => ({ mcp: streams.count(), websocket: openSockets(server) }),
    pool: () => store.poolUse?.() ?? null,
  }
}

/** The library has its server there, where it is loaded. */
function openSockets(
  server: object & { readonly websocketServer?: { readonly clients: Set<unknown> } },
): number {
  return server.websocketServer?.clients.size ?? 0
}

/** What is no question to the database, or takes as long as it takes. */
const untimed: ReadonlySet<string> = new Set(['joinBus', 'close', 'poolUse', 'purgeExpired', 'verbs'])

const verbsIn = <Verbs extends object>(verbs: Verbs): readonly (keyof Verbs & string)[] =>
  (Object.keys(verbs) as (keyof Verbs & string)[]) // it has no others
    .filter((name) => typeof verbs[name] === 'function' && !untimed.has(name))

function scraping(
  { metrics }: Pick<Environment, 'metrics'>,
  read: ReadMetrics | null,
): Pick<Telemetry, 'withMetrics' | 'scrape'> {
  if (metrics === null || read === null) return { withMetrics: (others) => others, scrape: null }
  const { host, port, token } = metrics
  const scrape: ScrapeOptions = { read, token }
  if (port !== null) return { withMetrics: (others) => others, scrape: { at: { host, port }, ...scrape } }
  const handle: Endpoint['handle'] = ({ headers }) => scraped(String(headers.authorization ?? ''), scrape)
  const endpoint = { methods: ['GET'], path: '/metrics', handle }
  return { withMetrics: (others) => [...refuseTaken(others), endpoint], scrape: null }
}

function refuseTaken(others: readonly Endpoint[]): readonly Endpoint[] {
  if (others.some(({ path }) => /^\/metrics\/?$/.test(path)))
    throw new BootError('METRICS_TOKEN: the application has /metrics itself: set METRICS_PORT too')
  return others
}

function publicAddress(baseUrl: string): Parameters<typeof watchRequests>[1] {
  const { protocol, hostname, port } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  const usual = scheme === 'https' ? 443 : 80
  return { scheme, host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) }
}

function offeredNames({ catalogue }: AppBundle): OfferedNames {
  const own = catalogue.tools.map(({ name }) => name)
  return {
    tools: new Set([...own, ...Object.values(metaToolNames)]),
    proxies: new Set([metaToolNames.callReadOnly, metaToolNames.callTool]),
    prompts: new Set(catalogue.prompts?.map(({ name }) => name)),
  }
}

/** How long a text on a span may be. */
const longestText = 8192

const secretName = /passw|secret|token|api.?key|credential/i

/** Also what only looks like one. */
class SecretNames extends Set<string> {
  override has(name: string): boolean {
    return super.has(name) || secretName.test(name)
  }
}

/** JSON text, without the values of those names; texts that hold JSON or fields lose theirs too. Never throws: what cannot be shown
 *  is called all the same. */
function shownWithout(masked: Iterable<string>): (value: unknown) => string {
  const names = new SecretNames(masked)
  const hide = (name: string, value: unknown): unknown => {
    if (names.has(name)) return redacted
    return typeof value === 'string' ? withoutSecrets(value) : value
  }
  const withoutSecrets = (text: string): string => {
    try {
      return /^\s*[[{]/.test(text) ? JSON.stringify(JSON.parse(text), hide) : redactText(text, names)
    } catch {
      return redactText(text, names)
    }
  }
  return (value) => {
    try {
      return JSON.stringify(value, hide).slice(0, longestText)
    } catch {
      return 'nested too deeply'
    }
  }
}
