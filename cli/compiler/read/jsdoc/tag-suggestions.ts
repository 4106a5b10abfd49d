/** What somebody who wrote a tag that nobody knows most likely meant. Source: language.md, Nothing is lost silently. */
import { distanceOf } from '../../diagnostics/similar-names.ts'

/** Words of other tools and languages for what has another name here. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['return', 'returns'],
  ['status', 'returns'],
  ['catch', 'exception'],
  ['rescue', 'exception'],
  ['handler', 'exception'],
  ['before', 'filter'],
  ['around', 'filter'],
  ['after', 'filter'],
  ['route', 'get'],
  ['head', 'get'], // every GET also answers HEAD
  ['tool', 'mcp'],
  ['min', 'minimum'],
  ['max', 'maximum'],
  ['regex', 'pattern'],
])

/** Tags of JSDoc and TSDoc that few know, beside those of `doc-comment.ts`. */
const ofOthers: ReadonlySet<string> = new Set(
  'arg argument classdesc const constructor decorator defaultvalue desc emits exports fileoverview func host inheritdoc'
    .concat(' kind linkcode linkplain method overview prop typeparam var void jsx jsxRuntime ts')
    .split(' '),
)

/** Whether JSDoc, TSDoc or TypeScript knows the tag. */
export const isOfOthers = (written: string): boolean => ofOthers.has(written)

/** What other frameworks call what has another name here; too far from ours to be a slip of the pen. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['skip', 'skipFilter'],
  ['skipaction', 'skipFilter'],
  ['beforeaction', 'filter before'],
  ['aroundaction', 'filter around'],
  ['afteraction', 'filter after'],
  ['http', 'get'],
  ['controller', 'base'],
  ['path', 'base'],
  ['prefix', 'base'],
  ['query', 'param'],
  ['response', 'returns'],
  ['permission', 'scope'],
  ['permissions', 'scope'],
  ['requirescope', 'scope'],
  ['requirescopes', 'scope'],
  ['ratelimit', 'limit'],
  ['throttle', 'limit'],
  ['quota', 'limit'],
  ['deadline', 'timeout'],
  ['approve', 'approval'],
  ['confirm', 'approval'],
  ['confirmation', 'approval'],
  ['humanintheloop', 'approval'],
  ['idempotent', 'idempotencyKey'],
  ['idempotency', 'idempotencyKey'],
])

/** ` Did you mean @x?`, to stand behind a hint; empty when nobody can know. */
export function wordFor(written: string): string {
  const meant = elsewhere.get(written.toLowerCase().replace(/[^a-z]/g, ''))
  return meant === undefined ? '' : ` Did you mean @${meant}?`
}

/** The one of `known` that `written` with `text` behind it was to be, such as `mcp hide`; null when it is like none. */
export function nearestTag(written: string, text: string, known: Iterable<string>): string | null {
  const plain = written.toLowerCase().replace(/[^a-z]/g, '')
  if (plain.startsWith('mcp')) return `mcp ${plain.slice('mcp'.length)}`.trim()
  const all = [...known]
  const names = all.map((name) => ({ name, distance: distanceOf(plain, name.toLowerCase()) }))
  const fits = names.filter(({ name, distance }) => distance <= leeway(name, plain, text.startsWith('/')))
  const [best] = fits.sort((a, b) => a.distance - b.distance)
  const synonym = synonyms.get(plain) ?? ''
  return all.includes(synonym) ? synonym : (best?.name ?? null)
}

/** How many slips are likely. A short name is the name of something else too easily, unless a path follows. */
function leeway(name: string, plain: string, isRoute: boolean): number {
  if (name.length > 5) return 2
  const isOther = plain.length <= name.length && sorted(plain) !== sorted(name)
  return name.length < 5 && isOther && !isRoute ? 0 : 1
}

const sorted = (text: string): string => [...text].sort().join('')
