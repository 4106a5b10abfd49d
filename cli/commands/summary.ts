/** The last line of a build: how much it made, and how that differs from the build before. */
import type { Counts } from '../compiler/compile.ts'

/** `1 controller, 5 routes (+1), 4 tools, about 1,200 tokens; 3 files written` */
export function summary(counts: Counts, last: Counts | null, written: number): string {
  const text = (name: keyof Counts, one: string, many: string): string => {
    const more = last === null ? 0 : counts[name] - last[name]
    const change = more === 0 ? '' : ` (${more > 0 ? '+' : '-'}${grouped(Math.abs(more))})`
    return `${grouped(counts[name])} ${counts[name] === 1 ? one : many}${change}`
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
