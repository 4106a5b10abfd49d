/** A real OpenTelemetry SDK in this process, whose spans and metrics are kept in memory. It is registered when this is imported: before
 *  any application starts. */
import {
  context,
  metrics,
  propagation,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const everyHour = 3_600_000
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: everyHour })
const meterProvider = new MeterProvider({ readers: [reader] })

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(
  new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
)
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
metrics.setGlobalMeterProvider(meterProvider)

/** A span as a test compares it: ids are the names of spans where they are known, else as they came. */
export interface Reported {
  readonly name: string
  readonly kind: string
  /** The name of the parent, or its id where it is nobody's here. */
  readonly parent: string | null
  readonly links: readonly string[]
  readonly status: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Spans that ended since the last call, in the order of their ends. */
export function takeSpans(): readonly Reported[] {
  const ended = spans.getFinishedSpans()
  spans.reset()
  return ended.map((span) => reportedOf(span, ended))
}

function reportedOf(span: ReadableSpan, all: readonly ReadableSpan[]): Reported {
  const nameOf = ({ traceId, spanId }: SpanContext): string =>
    all.find((readableSpan) => readableSpan.spanContext().spanId === spanId)?.name ?? `${traceId}-${spanId}`
  const { code, message } = span.status
  return {
    name: span.name,
    kind: SpanKind[span.kind],
    parent: span.parentSpanContext === undefined ? null : nameOf(span.parentSpanContext),
    links: span.links.map((link) => nameOf(link.context)),
    status: `${SpanStatusCode[code]}${message === undefined ? '' : `: ${message}`}`,
    attributes: span.attributes,
  }
}

/** Waits until as many spans have ended. */
export async function spansOf(count: number): Promise<readonly Reported[]> {
  while (spans.getFinishedSpans().length < count) await new Promise(setImmediate)
  return takeSpans()
}

/** Waits until a span of that name has ended. */
export async function spansUntil(name: string): Promise<readonly Reported[]> {
  while (!spans.getFinishedSpans().some((span) => span.name === name)) await new Promise(setImmediate)
  return takeSpans()
}

/** What the SDK was told of each metric so far, by name: unit, bounds of a histogram, attributes of its points. */
export async function measuredMetrics(): Promise<ReadonlyMap<string, ReportedMetric>> {
  await reader.forceFlush()
  const all =
    measured
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.filter(({ scope }) => scope.name === 'acmcp') ?? []
  return new Map(
    all
      .flatMap(({ metrics: found }) => found)
      .map(({ descriptor, dataPoints }) => [
        descriptor.name,
        {
          unit: descriptor.unit,
          bounds: boundsOf(dataPoints[0]?.value),
          points: dataPoints.map(({ attributes, value }) => ({ attributes, count: countOf(value) })),
        },
      ]),
  )
}

export interface ReportedMetric {
  readonly unit: string
  readonly bounds: readonly number[] | null
  readonly points: readonly { readonly attributes: object; readonly count: number }[]
}

const boundsOf = (value: unknown): readonly number[] | null =>
  typeof value === 'object' ? Object(value).buckets.boundaries : null

const countOf = (value: unknown): number => (typeof value === 'object' ? Object(value).count : Number(value))
