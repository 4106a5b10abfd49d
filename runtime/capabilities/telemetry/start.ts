/** What the configuration and the environment say of telemetry, as functions that the other rooms take. */

import { BootError } from '../../boot/boot-error.ts'
import type { Environment } from '../../boot/environment.ts'
import type { ListeningPort, Reported, WatchedApp, Watching } from '../../boot/watching.ts'
import type { Endpoint } from '../../contract/http.ts'
import { maskedByDefault, redacted, redactText } from '../../http/log/redact.ts'
import { metaToolNames } from '../../mcp/tools/tool-list.ts'
import { findSinks } from './find-sinks.ts'
import type { OfferedNames } from './message-facts.ts'
import { watchMessages } from './messages.ts'
import { type ProcessSources, reportProcess, timed } from './metrics/process-metrics.ts'
import { MetricRegistry } from './metrics/registry.ts'
import { listenForScrapes, type ReadMetrics, type ScrapeOptions, scraped } from './metrics/scrape.ts'
import { readerOf } from './metrics/share.ts'
import { attribute, metric } from './names.ts'
import { watchRequests } from './requests.ts'
import { telemetrySettings } from './settings.ts'
import type { Sinks } from './sinks.ts'

export async function startTelemetry(app: WatchedApp): Promise<Watching> {
  const { bundle, config, environment, log, shareMetrics } = app
  const { mode, toolArguments, toolResults } = app.settings(telemetrySettings).telemetry
  const registry = environment.metrics === null ? null : new MetricRegistry()
  const sinks = await findSinks({ mode, version: bundle.version, registry })
  if (sinks.warning !== null) log.warn({}, sinks.warning)
  const isOff = mode === 'off' && sinks.instruments === null
  const shown = shownWithout([...maskedByDefault, ...config.log.mask])
  const messages = { offered: offeredNames(app), toolArguments, toolResults, shown }
  return {
    watchRequest: isOff ? null : watchRequests(sinks, publicAddress(environment.baseUrl)),
    watchMessage: isOff ? null : watchMessages(sinks, messages),
    ...measurements(sinks),
    ...scraping(environment, registry && readerOf(registry, shareMetrics)),
  }
}

function measurements({
  instruments,
}: Sinks): Pick<Watching, 'onLookUp' | 'count' | 'timedStore' | 'report'> {
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
): Pick<Watching, 'withEndpoints' | 'ownPort'> {
  if (metrics === null || read === null) return { withEndpoints: (others) => others, ownPort: null }
  const { host, port, token } = metrics
  const scrape: ScrapeOptions = { read, token }
  if (port !== null) {
    const listen = (): Promise<ListeningPort> => listenForScrapes({ host, port }, scrape)
    return { withEndpoints: (others) => others, ownPort: { port, listen } }
  }
  const handle: Endpoint['handle'] = ({ headers }) => scraped(String(headers.authorization ?? ''), scrape)
  const endpoint = { methods: ['GET'], path: '/metrics', handle }
  return { withEndpoints: (others) => [...refuseTaken(others), endpoint], ownPort: null }
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

function offeredNames({ bundle: { catalogue }, methods }: WatchedApp): OfferedNames {
  const own = catalogue.tools.map(({ name }) => name)
  return {
    tools: new Set([...own, ...Object.values(metaToolNames)]),
    proxies: new Set([metaToolNames.callReadOnly, metaToolNames.callTool]),
    prompts: new Set(catalogue.prompts?.map(({ name }) => name)),
    methods,
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
