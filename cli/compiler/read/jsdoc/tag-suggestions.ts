/** What the author of an unknown tag most likely meant. Source: language.md, Nothing is lost silently. */
import { distanceOf } from '../../diagnostics/similar-names.ts'
import type { Language } from '../language.ts'

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

/** Tags of JSDoc, TSDoc and TypeScript, and of other tools; not `@host` of JSDoc, which is more often a `@post`. */
const foreign: ReadonlySet<string> = new Set(
  'see example deprecated remarks internal public private protected readonly override template typeParam'
    .concat(' defaultValue link inheritDoc since author todo alpha beta experimental sealed virtual')
    .concat(' type abstract access alias async augments borrows callback category class classdesc constant')
    .concat(' constructs copyright description enum event eventProperty extends external file fires function')
    .concat(' generator global group hideconstructor ignore implements import inner instance interface kind')
    .concat(' label lends license listens member memberof mixes mixin module name namespace overload package')
    .concat(' packageDocumentation privateRemarks property requires satisfies static summary this tutorial')
    .concat(' typedef variation version yields arg argument const constructor decorator defaultvalue desc')
    .concat(' emits exports fileoverview func inheritdoc linkcode linkplain method overview prop')
    .concat(' typeparam var void jsx jsxRuntime ts')
    .split(' '),
)

/** Whether a tag is one of ours, or one of another tool. */
export const isKnownTag = ({ tagTable }: Language, name: string): boolean =>
  tagTable.has(name) || foreign.has(name)

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
])

/** ` Did you mean @x?`, to stand behind a hint; empty when there is no likely one. */
export function wordFor({ features }: Language, written: string): string {
  const plain = written.toLowerCase().replace(/[^a-z]/g, '')
  const feature = features.find(({ alsoCalled = [] }) => alsoCalled.includes(plain))
  const meant = feature?.tag ?? elsewhere.get(plain)
  return meant === undefined ? '' : ` Did you mean @${meant}?`
}

/** The one of `known` that `written` with `text` behind it was to be, such as `mcp hide`; null when it is like none, or is a tag itself. */
export function nearestTag(
  language: Language,
  [written, text]: readonly [written: string, text: string],
  known: Iterable<string>,
): string | null {
  if (isKnownTag(language, written)) return null
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
