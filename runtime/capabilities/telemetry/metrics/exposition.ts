/** Metrics as text. Source: Prometheus, Exposition formats, text-based format 0.0.4; OpenTelemetry, Prometheus and OpenMetrics
 *  compatibility (names, units). */
import type { MetricDefinition } from '../names.ts'
import type { MetricSnapshot, Series } from './registry.ts'

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** One block a metric: `# HELP`, `# TYPE`, a line for each series. */
export function expositionText(metrics: readonly MetricSnapshot[]): string {
  return metrics.map(blockOf).join('')
}

/** `http.server.request.duration` in seconds is `http_server_request_duration_seconds`; a counter ends with `_total`. */
export function prometheusName({ kind, name, unit }: MetricDefinition): string {
  const seconds = unit === 's' ? '_seconds' : ''
  const total = kind === 'counter' ? '_total' : ''
  return `${plainName(name)}${seconds}${total}`
}

/** A label of an attribute. */
export const plainName = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, '_')

function blockOf({ definition, series }: MetricSnapshot): string {
  const name = prometheusName(definition)
  const help = definition.description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  const lines = series.flatMap((item) =>
    definition.kind === 'histogram' ? histogramLines(name, definition.buckets, item) : [lineOf(name, item)],
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${definition.kind}\n${lines.join('')}`
}

const lineOf = (name: string, { attributes, value }: Series): string =>
  `${name}${labelsOf(Object.entries(attributes))} ${value}\n`

/** Buckets count what is below their bound, so each counts those before it too. */
function histogramLines(
  name: string,
  bounds: readonly number[],
  { attributes, value, counts }: Series,
): readonly string[] {
  const labels = Object.entries(attributes)
  let count = 0
  const buckets = [...bounds.map(String), '+Inf'].map((le, index) => {
    count += counts?.[index] ?? 0
    return `${name}_bucket${labelsOf([...labels, ['le', le]])} ${count}\n`
  })
  return [
    ...buckets,
    `${name}_sum${labelsOf(labels)} ${value}\n`,
    `${name}_count${labelsOf(labels)} ${count}\n`,
  ]
}

function labelsOf(labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return ''
  return `{${labels.map(([name, value]) => `${plainName(name)}="${escaped(value)}"`).join(',')}}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
