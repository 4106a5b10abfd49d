/** The dashboard that the package ships, against `/metrics` of an application on PostgreSQL that has had some of everything. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createApplication } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { prometheusName } from '../../runtime/capabilities/telemetry/metrics/exposition.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { surroundings } from '../support/surroundings.ts'
import { allMetrics } from './all-metrics.ts'
import { type MetricFamily, parseExposition, type Sample } from './exposition.ts'

const file = 'templates/docs/grafana-dashboard.json'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly definition?: string }[]
  }
}

const dashboard: Dashboard = JSON.parse(readFileSync(file, 'utf8'))

interface Selector {
  readonly metric: string
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[]
  /** Whether it is over a time. */
  readonly isRange: boolean
}

const selectorPattern = /\b([a-z]\w*)\{([^}]*)\}(\[\$__rate_interval\])?/g
const groupingPattern = /\bby \(([^)]*)\)/g

function selectorsIn(expression: string): readonly Selector[] {
  return [...expression.matchAll(selectorPattern)].map(([, name = '', inside = '', range]) => ({
    metric: name,
    matchers: inside.split(', ').map((part) => {
      const [, label = '', operator = '', value = ''] = /^(\w+)(=~|!=|!~|=)"([^"]*)"$/.exec(part) ?? []
      return { label, operator, value }
    }),
    isRange: range !== undefined,
  }))
}

const groupingsIn = (expression: string): readonly string[] =>
  [...expression.matchAll(groupingPattern)].flatMap(([, labels = '']) => labels.split(', '))

const words: ReadonlySet<string> = new Set('sum max rate histogram_quantile topk vector or'.split(' '))

/** Words of an expression that are neither metric nor label nor of the language: this reads no more of it than the dashboard uses. */
const unknownIn = (expression: string): readonly string[] =>
  (
    expression
      .replace(selectorPattern, '')
      .replace(groupingPattern, '')
      .match(/[^\s()/,]+/g) ?? []
  ).filter((word) => !words.has(word) && !/^\d+(\.\d+)?$/.test(word))

/** Those that Prometheus adds to each series. */
const ofPrometheus = ['job', 'instance']

const server = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => server?.stop())

const token = '0123456789abcdef0123456789abcdef'

/** What `/metrics` says of a worker among several that has served, failed and refused. */
async function exposed(): Promise<ReadonlyMap<string, MetricFamily>> {
  const metrics = { port: null, host: '127.0.0.1', token }
  const databaseUrl = server?.url ?? 'sqlite::memory:'
  const bundle = await loadBundle(process.cwd())
  const routes = bundle.routes.map((route) => ({
    ...route,
    ...(route.id === 'health_show' ? { call: () => Promise.reject(new Error('broken')) } : {}),
  }))
  const application = await createApplication(
    { ...bundle, routes },
    {
      ...surroundings('http://localhost:3000', { databaseUrl, metrics }),
      shareMetrics: () => async () => [],
    },
  )
  try {
    await application.store.saveUser({ id: 'dev:ada', name: 'Ada', email: null })
    const { accessToken } = await application.developmentToken('dev:ada', 'api')
    const call = (tool: string): Promise<unknown> =>
      application.server.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${accessToken}`,
          'mcp-protocol-version': '2025-11-25',
        },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } },
      })
    for (const tool of ['notes_index', 'notes_index', 'nothing']) await call(tool)
    await application.server.inject('/health')
    await application.server.inject('/nowhere')
    const headers = { authorization: `Bearer ${token}` }
    return parseExposition((await application.server.inject({ url: '/metrics', headers })).body)
  } finally {
    await application.close()
  }
}

const families = await exposed()
const samples = [...families.values()].flatMap((family) => family.samples)
const samplesOf = (name: string): readonly Sample[] => samples.filter((sample) => sample.name === name)

/** Where there is no PostgreSQL nothing is said of its connections. */
const isShown = ({ metric: name }: Selector): boolean => server !== null || !name.startsWith('db_')

const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets)

t.test(
  'the dashboard: every metric of the dashboard is one that /metrics has, and is used as its kind',
  async (t) => {
    t.strictSame(
      expressions.flatMap(({ expr }) => unknownIn(expr)),
      [],
    )
    const selectors = expressions.flatMap(({ expr }) => selectorsIn(expr)).filter(isShown)
    t.strictSame(
      selectors.filter(({ metric: name }) => samplesOf(name).length === 0),
      [],
    )
    const isCounted = ({ metric: name }: Selector): boolean =>
      ['counter', 'histogram'].includes(families.get(name.replace(/_(bucket|sum|count)$/, ''))?.type ?? '') ||
      families.get(name)?.type === 'counter'
    t.strictSame(
      selectors.filter((selector) => isCounted(selector) !== selector.isRange),
      [],
      'counters over a time, gauges as they are',
    )
    const used = new Set(
      expressions.flatMap(({ expr }) => selectorsIn(expr)).map((selector) => selector.metric),
    )
    const isUsed = (name: string): boolean =>
      [name, `${name}_bucket`, `${name}_count`].some((text) => used.has(text))
    t.strictSame(
      allMetrics
        .filter((definition) => !isUsed(prometheusName(definition)))
        .map(({ name }) => name)
        .sort(),
      [
        'acmcp.approvals',
        'acmcp.idempotency.repeated',
        'nodejs.eventloop.delay.mean',
        'nodejs.eventloop.delay.p50',
      ],
      'what there is no place for',
    )
  },
)

t.test(
  'the dashboard: every label of the dashboard is one of its metric, and every value occurs',
  async (t) => {
    const wrong = expressions.flatMap(({ expr, legendFormat }) => {
      const groupings = groupingsIn(expr)
      const legends = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      const ofLegend = legends.filter((label) => !groupings.includes(label))
      const ofMetrics = selectorsIn(expr)
        .filter(isShown)
        .flatMap((selector) => [
          ...[...groupings, ...selector.matchers.map(({ label }) => label)].filter(
            (label) => !isLabel(selector, label),
          ),
          ...selector.matchers.filter((matcher) => !occurs(selector, matcher)),
        ])
      return [...ofLegend, ...ofMetrics].map((what) => ({ expr, what }))
    })
    t.strictSame(wrong, [])
  },
)

const isLabel = (selector: Selector, label: string): boolean =>
  ofPrometheus.includes(label) || samplesOf(selector.metric).some(({ labels }) => label in labels)

function occurs(selector: Selector, { label, operator, value }: Selector['matchers'][number]): boolean {
  if (ofPrometheus.includes(label)) return operator === '=~' && value === `$${label}`
  const pattern = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : null
  const values = samplesOf(selector.metric).map(({ labels }) => labels[label] ?? '')
  return values.some((text) => (pattern === null ? text === value : pattern.test(text)))
}

t.test(
  'the dashboard: panels have places of their own, its variables are there, and the page names the file',
  async (t) => {
    const { panels, templating } = dashboard
    t.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    t.equal(new Set(cells).size, cells.length)
    t.ok(panels.every(({ gridPos: { x, w } }) => x + w <= 24))
    t.strictSame(
      templating.list.map(({ name, definition = null }) => [name, definition]),
      [
        ['datasource', null],
        ['job', 'label_values(acmcp_streams_open, job)'],
        ['instance', 'label_values(acmcp_streams_open{job=~"$job"}, instance)'],
      ],
    )
    t.ok(families.has('acmcp_streams_open'), 'from the first scrape on')
    t.ok(readFileSync('templates/docs/telemetry.md', 'utf8').includes(`node_modules/acmcp/${file}`))
  },
)
