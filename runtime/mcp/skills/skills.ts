/** The methods of the skills extension, and the files as resources. Source: SEP-2640; MCP 2026-07-28, Resources, reading. */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
  type ServerCapabilities,
} from '@modelcontextprotocol/server'
import type { Catalogue } from '../../contract/mcp.ts'
import { type Era, isObject, type WireObject } from '../protocol/constants.ts'
import { cutPage } from '../protocol/list-cache.ts'
import { skillsIn } from './served-skills.ts'

/** The extension's own words; the SDK's module of them would load a catalogue of its own. */
const extensionId = 'io.modelcontextprotocol/skills'
const methods = { list: 'skills/list', get: 'skills/get', folder: 'resources/directory/read' } as const

/** One that has skills says so. */
export const skillCapabilities = ({ skills }: Catalogue): ServerCapabilities =>
  skills === undefined ? {} : { extensions: { [extensionId]: { directoryRead: true } } }

/** How long clients may keep what they read of skills: it changes only with a new build. */
export interface SkillCache {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface SkillExchange {
  readonly era: Era
  /** What this caller sees. */
  readonly catalogue: Catalogue
  /** Names it: a cursor is good for it alone. */
  readonly version: string
}

export interface SkillOptions {
  readonly pageSize: number
  readonly cache: SkillCache
}

/** The file at an address; null = it is none of a skill's. */
export function readSkillFile(
  uri: string,
  { catalogue, era }: Pick<SkillExchange, 'catalogue' | 'era'>,
  { cache }: Pick<SkillOptions, 'cache'>,
): ReadResourceResult | null {
  const skill = skillsIn(catalogue).find((servedSkill) => servedSkill.uri === uri)
  if (skill === undefined) return null
  return { contents: [{ uri, mimeType: 'text/markdown', text: skill.text }], ...since2026(era, cache) }
}

/** Adds the handlers of the three methods; clients of the older era that know the extension are answered too. */
export function registerSkills(
  server: Server,
  exchange: SkillExchange,
  { pageSize, cache }: SkillOptions,
): void {
  const { catalogue, era, version } = exchange
  const cached = since2026(era, cache)
  const paging = (list: string) => ({ pageSize, version: `${version} ${list}` })
  server.setRequestHandler(methods.list, { params: paged }, ({ cursor }) => {
    const all = skillsIn(catalogue).map(({ listed }) => listed)
    const { items, ...more } = cutPage(all, cursor, paging('skills'))
    return { skills: items, ...more, ...cached }
  })
  server.setRequestHandler(methods.get, { params: addressed }, ({ uri }) => {
    const skill = skillsIn(catalogue).find((servedSkill) => servedSkill.uri === uri)
    if (skill === undefined) throw invalid(`No skill is served at ${uri}`)
    return { skill: skill.listed, ...cached }
  })
  server.setRequestHandler(methods.folder, { params: addressed }, ({ uri, cursor }) => {
    const skill = skillsIn(catalogue).find(({ folder }) => folder === uri)
    if (skill === undefined) throw invalid(`${uri} is not a directory resource`)
    const { items, ...more } = cutPage([skill.child], cursor, paging(uri))
    return { resources: items, ...more, ...cached }
  })
}

/** How long something holds is said from 2026-07-28 on. */
const since2026 = (era: Era, cache: SkillCache): Partial<SkillCache> => (era === 'modern' ? cache : {})

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)

interface Paged {
  readonly cursor: string | undefined
}

interface Addressed extends Paged {
  readonly uri: string
}

/** What the SDK asks of the parameters of a method that it does not know. Source: standardschema.dev, version 1. */
interface ParamsSchema<Params> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Params>
    readonly types?: { readonly input: unknown; readonly output: Params }
  }
}

type Validated<Params> =
  | { readonly value: Params }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly string[] }[] }

function schemaOf<Params>(read: (params: WireObject) => Validated<Params>): ParamsSchema<Params> {
  const validate = (value: unknown): Validated<Params> => read(isObject(value) ? value : {})
  return { '~standard': { version: 1, vendor: 'acmcp', validate } }
}

const noText = (name: string): Validated<never> => ({
  issues: [{ message: `${name} must be a text`, path: [name] }],
})

const paged = schemaOf<Paged>(({ cursor }) =>
  cursor === undefined || typeof cursor === 'string' ? { value: { cursor } } : noText('cursor'),
)

const addressed = schemaOf<Addressed>(({ uri, cursor }) => {
  if (typeof uri !== 'string') return noText('uri')
  return cursor === undefined || typeof cursor === 'string' ? { value: { uri, cursor } } : noText('cursor')
})
