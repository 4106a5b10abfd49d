/** The skills as a caller sees them: one file each, without the tools that it may not call, with size and digest.
 *  Source: SEP-2640, Skill entries. */
import type { Catalogue } from '../../contract/mcp.ts'
import { sha256Hex } from '../../secret.ts'
import { type SkillEntry, skillsOf } from './skill-entry.ts'

/** What `skills/list` and `skills/get` say of one. */
export interface ListedSkill {
  readonly uri: string
  readonly frontmatter: { readonly name: string; readonly description: string }
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[]
}

/** A file as resources list it. Source: SEP-2640, Resource metadata. */
export interface ListedFile {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType: 'text/markdown'
  /** In bytes. */
  readonly size: number
}

export interface ServedSkill {
  /** Of its folder. */
  readonly folder: string
  /** Of its file. */
  readonly uri: string
  readonly text: string
  readonly listed: ListedSkill
  /** As a resource, named and described as the frontmatter says. */
  readonly resource: ListedFile
  /** As the only child of its folder, called by its name there. */
  readonly child: ListedFile
}

/** Sorted by URI; what everybody sees who has this catalogue is made once. */
export function skillsIn(catalogue: Catalogue): readonly ServedSkill[] {
  const known = served.get(catalogue)
  if (known !== undefined) return known
  const made = serveSkills(catalogue)
  served.set(catalogue, made)
  return made
}

/** The files as resources. */
export const skillFiles = (seen: Catalogue): readonly ListedFile[] =>
  skillsIn(seen).map(({ resource }) => resource)

const served = new WeakMap<Catalogue, readonly ServedSkill[]>()

function serveSkills(catalogue: Catalogue): readonly ServedSkill[] {
  const { tools } = catalogue
  const callable = new Set(tools.map(({ name }) => name))
  const boxes = new Set(tools.map(({ toolbox }) => toolbox))
  return (skillsOf(catalogue) ?? [])
    .filter(({ toolbox }) => boxes.has(toolbox))
    .map((skill) => serveSkill(skill, callable))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

/** Whole lines are left out; no text is made that a reviewer has not read. */
function serveSkill(
  { name, description, text: head, tools }: SkillEntry,
  callable: ReadonlySet<string>,
): ServedSkill {
  const lines = tools.filter((tool) => callable.has(tool.name)).map(({ line }) => line)
  const text = [head, ...lines].join('').trimEnd()
  const folder = `skill://${name}`
  const uri = `${folder}/${fileName}`
  const size = Buffer.byteLength(text)
  const resources = [{ uri, digest: `sha256:${sha256Hex(text)}`, size }]
  return {
    folder,
    uri,
    text,
    listed: { uri, frontmatter: { name, description }, resources },
    resource: { uri, name, description, mimeType: 'text/markdown', size },
    child: { uri, name: fileName, mimeType: 'text/markdown', size },
  }
}

const fileName = 'SKILL.md'
