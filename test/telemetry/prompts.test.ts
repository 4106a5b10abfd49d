/** Spans of prompts, resources and completions; they are no tool calls. Source: semantic-conventions-genai, docs/gen-ai/mcp.md,
 *  `{mcp.method.name} {target}`. */
import t from 'tap'
import { ask, buildTrips } from '../mcp/prompts/trips.ts'
import { openGuarded } from '../mcp/support/guarded.ts'
import { measuredMetrics, spansUntil, takeSpans } from './sdk.ts'

t.setTimeout(120_000)

t.test('a prompt that exists names its span, and counts as no tool call', async (t) => {
  const { app, tokenOf } = await openGuarded(t, await buildTrips(), {
    config: { mcp: { authProbe: 'trips_me' } },
  })
  const client = app.client().withBearer(await tokenOf('trips:read trips:plan'))
  const read = { method: 'resources/read', params: { uri: 'trips://7' } }
  const prompt = (name: string) => ({ method: 'prompts/get', params: { name, arguments: { city: 'Bern' } } })
  for (const era of ['legacy', 'modern'] as const) {
    const spans: unknown[] = []
    for (const requested of [prompt('trips_plan'), prompt('trips_none'), read]) {
      takeSpans()
      await ask(client, { era, ...requested })
      const span = (await spansUntil('POST /mcp')).find(({ attributes }) => 'mcp.method.name' in attributes)
      const { name, attributes = {}, status } = span ?? {}
      spans.push([
        name,
        attributes['gen_ai.prompt.name'],
        attributes['gen_ai.tool.name'],
        attributes['mcp.resource.uri'],
        attributes['error.type'],
        status === 'UNSET',
      ])
    }
    t.strictSame(
      spans,
      [
        ['prompts/get trips_plan', 'trips_plan', undefined, undefined, undefined, true],
        ['prompts/get', 'trips_none', undefined, undefined, '-32602', false],
        ['resources/read', undefined, undefined, 'trips://7', undefined, true],
      ],
      era,
    )
  }
  t.equal((await measuredMetrics()).get('acmcp.tool.calls'), undefined)
})
