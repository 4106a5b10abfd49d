/** The last lines of a build: how much it made, and what is no tool. */
import type { Counts, WithoutTool } from '../compiler/compile.ts'

/** `1 controller, 5 routes (+1), 4 tools, about 1,200 tokens; 3 files written` */
export function summary(counts: Counts, last: Counts | null, written: number): string {
  const text = (name: keyof Counts, word: string, many: string): string => {
    const more = last === null ? 0 : counts[name] - last[name]
    const change = more === 0 ? '' : ` (${more > 0 ? '+' : '-'}${grouped(Math.abs(more))})`
    return `${grouped(counts[name])} ${counts[name] === 1 ? word : many}${change}`
  }
  const parts = [
    text('controllers', 'controller', 'controllers'),
    text('routes', 'route', 'routes'),
    text('tools', 'tool', 'tools'),
    `about ${text('tokens', 'token', 'tokens')}`,
  ]
  return `${parts.join(', ')}; ${written} ${written === 1 ? 'file' : 'files'} written`
}

/** Thousands with commas, whatever the locale. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** More are counted. */
const maxNamed = 8

const reasons = { socket: 'a WebSocket', file: 'takes a file', events: 'a stream' }

/** `no tools: POST /files (takes a file), GET /events (a stream); hidden from models: 3 routes`; null when every route is one. */
export function toollessLine({ unfit, hidden }: WithoutTool): string | null {
  const named = unfit.slice(0, maxNamed).map(({ route, why }) => `${route} (${reasons[why]})`)
  const more = unfit.length - named.length
  const texts = [
    ...(named.length === 0
      ? []
      : [`no tools: ${named.join(', ')}${more === 0 ? '' : ` and ${grouped(more)} more`}`]),
    ...(hidden === 0 ? [] : [`hidden from models: ${grouped(hidden)} ${hidden === 1 ? 'route' : 'routes'}`]),
  ]
  return texts.length === 0 ? null : texts.join('; ')
}
