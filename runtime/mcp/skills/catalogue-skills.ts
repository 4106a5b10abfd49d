/** The skills as a caller sees them: without the pieces about tools that it may not call, each file with its size and digest.
 *  Source: SEP-2640, Skill entries. */
import type { Catalogue, SkillEntry, SkillFile } from '../../contract/mcp.ts'
import { sha256Hex } from '../../secret.ts'

/** A file as it is read. */
export interface ServedFile {
  readonly uri: string
  /** Its last segment. */
  readonly name: string
  readonly text: string
  /** In bytes. */
  readonly size: number
}

/** What `skills/list` and `skills/get` say of one. */
export interface ListedSkill {
  readonly uri: string
  readonly frontmatter: { readonly name: string; readonly description: string }
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[]
}

/** A child of a folder: a file, or a folder (without `size`). */
export interface FolderEntry {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType: string
  readonly size?: number
}

export interface ServedSkills {
  /** Sorted by URI. */
  readonly listed: readonly ListedSkill[]
  /** The `SKILL.md` of each, as a resource. */
  readonly manifests: readonly FolderEntry[]
  readonly files: ReadonlyMap<string, ServedFile>
  readonly folders: ReadonlyMap<string, readonly FolderEntry[]>
}

const scheme = 'skill://'
const markdown = 'text/markdown'

/** What everybody sees who has this catalogue: it is made once. */
export function skillsIn(catalogue: Catalogue): ServedSkills {
  const known = served.get(catalogue)
  if (known !== undefined) return known
  const made = serveSkills(catalogue)
  served.set(catalogue, made)
  return made
}

const served = new WeakMap<Catalogue, ServedSkills>()

function serveSkills({ skills = [], tools }: Catalogue): ServedSkills {
  const callable = new Set(tools.map(({ name }) => name))
  const boxes = new Set(tools.map(({ toolbox }) => toolbox))
  const all = skills
    .filter(({ toolbox }) => boxes.has(toolbox))
    .map((skill) => ({ skill, files: filesOf(skill, callable) }))
    .sort((a, b) => (`${a.skill.name}/` < `${b.skill.name}/` ? -1 : 1))
  const files = new Map(all.flatMap((one) => one.files.map((file) => [file.uri, file] as const)))
  return {
    listed: all.map(({ skill, files: own }) => listedSkill(skill, own)),
    manifests: all.flatMap(({ skill, files: own }) =>
      own.filter(({ name }) => name === manifestName).map((file) => manifest(skill, file)),
    ),
    files,
    folders: foldersOf(files.values()),
  }
}

function filesOf({ name, files }: SkillEntry, callable: ReadonlySet<string>): readonly ServedFile[] {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  return sorted.flatMap((file) => {
    const text = textFor(file, callable)
    const uri = `${scheme}${name}/${file.path}`
    return text === '' ? [] : [{ uri, name: lastOf(uri), text, size: Buffer.byteLength(text) }]
  })
}

const manifestName = 'SKILL.md'

/** Whole pieces are left out; no text is made that a reviewer has not read. */
function textFor({ parts }: SkillFile, callable: ReadonlySet<string>): string {
  const shown = parts.filter(
    ({ tools }) => tools === undefined || tools.some((group) => group.every((name) => callable.has(name))),
  )
  return shown
    .map(({ text }) => text)
    .join('')
    .trimEnd()
}

const lastOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1)
const folderOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'))

const listedSkill = ({ name, description }: SkillEntry, files: readonly ServedFile[]): ListedSkill => ({
  uri: `${scheme}${name}/${manifestName}`,
  frontmatter: { name, description },
  resources: files.map(({ uri, text, size }) => ({ uri, digest: `sha256:${sha256Hex(text)}`, size })),
})

/** Named and described as its frontmatter. Source: SEP-2640, Resource metadata. */
const manifest = ({ name, description }: SkillEntry, { uri, size }: ServedFile): FolderEntry => ({
  uri,
  name,
  description,
  mimeType: markdown,
  size,
})

/** Every folder with its direct children, called by their names in it. */
function foldersOf(files: Iterable<ServedFile>): ReadonlyMap<string, readonly FolderEntry[]> {
  const folders = new Map<string, FolderEntry[]>()
  const children = (folder: string): FolderEntry[] => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const made: FolderEntry[] = []
    folders.set(folder, made)
    const parent = folderOf(folder)
    if (parent.length > scheme.length) children(parent).push(subfolder(folder))
    return made
  }
  for (const { uri, name, size } of files)
    children(folderOf(uri)).push({ uri, name, mimeType: markdown, size })
  return folders
}

const subfolder = (uri: string): FolderEntry => ({ uri, name: lastOf(uri), mimeType: 'inode/directory' })
