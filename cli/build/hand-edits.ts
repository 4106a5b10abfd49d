/** Finds edits that somebody made in `generated/mcp.yml`, and the doc comments where the texts belong. */
import { isDeepStrictEqual } from 'node:util'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { editsIn } from '../compiler/emit/mcp/mcp-yml.ts'
import type { Action, Model } from '../compiler/ir/model.ts'
import type { At } from '../compiler/ir/schema.ts'
import { parseForeign } from '../contract/foreign-yaml.ts'
import { handEdited } from './build-diagnostics.ts'

const path = 'generated/mcp.yml'

/** One diagnostic a hand edit in `existing`, which is the committed mcp.yml; none when it is as it was generated. Only
 *  the parts are compared whose own digest is wrong. */
export function handEdits(existing: string, { files, model }: Compilation): readonly Diagnostic[] {
  const { entries, isFrameEdited } = editsIn(existing)
  if (entries.length === 0 && !isFrameEdited) return []
  const made = partsOf(parsed(files.find((file) => file.path === path)?.text ?? ''))
  const places = placesIn(model)
  const found = entries
    .flatMap((entry) => [...partsOf(parsed(entry))])
    .flatMap(([key, edited]) =>
      differences(edited, made.get(key), { key, at: places.get(key) ?? null, places }),
    )
  const diagnostics = found.flatMap(({ key, at }) => (at === null ? [] : [handEdited(at, path, key)]))
  return diagnostics.length > 0
    ? diagnostics
    : [handEdited({ file: path, line: 1, column: 1 }, path, 'its text')]
}

/** Where texts belong: by toolbox, tool, argument (which may be one of a filter), type and scope. */
function placesIn({ controllers, schemas, scopes }: Model): ReadonlyMap<string, At> {
  return new Map<string, At>([
    ...scopes.map(({ name, at }) => [`scopes.${name}`, at] as const),
    ...schemas.map(({ name, at }) => [`types.${name}`, at] as const),
    ...controllers.flatMap(({ id, at, actions, mcpOnly }) => [
      [id, at] as const,
      ...[...actions, ...mcpOnly].flatMap(placesOfOffers),
      ...actions.map(({ id, tool, docAt }) => [tool?.name ?? id, docAt] as const),
      ...actions.flatMap(({ tool }) =>
        (tool?.arguments ?? []).map(
          ({ argument, param }) => [`${tool?.name}.params.${argument}`, param.at] as const,
        ),
      ),
    ]),
  ])
}

/** Of a prompt and a resource, and of their arguments. */
function placesOfOffers({ prompt, resource, docAt }: Action): readonly (readonly [string, At])[] {
  const kinds = [['prompts', prompt] as const, ['resources', resource] as const]
  return kinds.flatMap(([kind, entry]) => {
    if (entry === null) return []
    const key = `${kind}.${entry.name}`
    const all = entry.arguments.map(
      ({ argument, param }) => [`${key}.arguments.${argument}`, param.at] as const,
    )
    return [[key, docAt] as const, ...all]
  })
}

function parsed(yml: string): unknown {
  try {
    return parseForeign(yml)
  } catch {
    return null
  }
}

/** Toolboxes, tools, types and scopes by the names that people know, of a document or of one entry of it. */
function partsOf(document: unknown): ReadonlyMap<string, unknown> {
  const fields = fieldsOf(document)
  const entries = ['toolboxes', 'prompts', 'resources'].flatMap((part) => listOf(fields.get(part)))
  const listed = Array.isArray(document) ? document : entries
  const named = fields.has('toolboxes')
    ? [...fieldsOf(fields.get('types')), ...fieldsOf(fields.get('scopes'))]
    : [...fields]
  return new Map<string, unknown>([
    ...listed.flatMap(partsOfEntry),
    ...named.map(([name, part]) => [`${isType(part) ? 'types' : 'scopes'}.${name}`, part] as const),
  ])
}

/** A scope costs a model nothing. */
const isType = (part: unknown): boolean => fieldsOf(part).has('tokens')

/** A toolbox has tools, and a resource an address; what has neither is a prompt. */
function partsOfEntry(entry: unknown): readonly (readonly [string, unknown])[] {
  const { tools, types, ...texts } = Object(entry)
  if (tools === undefined) return [[`${'uri' in texts ? 'resources' : 'prompts'}.${texts.name}`, texts]]
  return [
    [String(texts.name), texts],
    ...listOf(tools).map((tool) => [String(fieldsOf(tool).get('name')), tool] as const),
    ...[...fieldsOf(types)].map(([name, type]) => [`types.${name}`, type] as const),
  ]
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [])

interface Where {
  readonly key: string
  readonly at: At | null
}

/** Counted, not written. */
const counted = new Set(['digest', 'tokens', 'fingerprint', 'answerFingerprint'])

/** Each text that differs, with the nearest place that is known. */
function differences(
  edited: unknown,
  made: unknown,
  { key, at, places }: Where & { readonly places: ReadonlyMap<string, At> },
): readonly Where[] {
  if (isDeepStrictEqual(edited, made)) return []
  const [before, after] = [fieldsOf(edited), fieldsOf(made)]
  if (before.size === 0 || after.size === 0) return [{ key, at }]
  const type = places.get(`types.${after.get('type')}`)
  return [...new Set([...after.keys(), ...before.keys()])]
    .filter((name) => !counted.has(name))
    .flatMap((name) => {
      const inner = `${key}.${name}`
      const isOfType = type !== undefined && (name === 'properties' || name === 'schema')
      const nearest = places.get(inner) ?? (isOfType ? type : at)
      return differences(before.get(name), after.get(name), { key: inner, at: nearest, places })
    })
}
