/** What `acmcp init` is going to do in a folder; it writes nothing itself. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { explained, InitError } from './init-error.ts'
import {
  filesFor,
  type Manager,
  managerOf,
  resolutions,
  settingsByHand,
  workspaceAbove,
  workspaceByHand,
} from './managers.ts'
import { deskDependencies, type ManifestNeeds, manifestNeeds, newManifest, ownRange } from './manifest.ts'
import { type ProjectFile, projectFiles, type Variant } from './project-files.ts'

export interface Plan {
  readonly root: string
  /** Files that are not there yet. */
  readonly files: readonly ProjectFile[]
  /** Files that are there and stay. */
  readonly kept: readonly string[]
  /** What package.json lacks, which is there and stays; nothing where it is one of `files`. */
  readonly needs: Omit<ManifestNeeds, 'byHand'>
  readonly manager: Manager
  /** What clients may call the application. */
  readonly name: string
  /** What only the user should change. */
  readonly byHand: readonly string[]
}

/** Throws `InitError` when the folder is none, or its package.json cannot be read. */
export function planOf(
  root: string,
  variant: Variant,
  { version, userAgent }: { readonly version: string; readonly userAgent: string | undefined },
): Plan {
  if (existsSync(root) && !statSync(root).isDirectory()) throw new InitError(`${root} is not a folder`)
  const old = textOf(join(root, 'package.json'))
  const range = ownRange(version, root)
  const application = hasApplication(root) ? null : variant
  const above = workspaceAbove(root)
  const manager = managerOf(root, above, userAgent)
  const dependencies = { acmcp: range, ...(application === 'desk' ? deskDependencies : {}) }
  const more = manager === 'yarn1' ? { resolutions } : {}
  const manifest = { path: 'package.json', text: newManifest(nameOf(root), dependencies, more) }
  const { byHand, ...needs } =
    old === null
      ? { commands: [], takenScripts: [], byHand: [] }
      : manifestNeeds(old, { dependencies, hasCode: hasCodeIn(root), manager })
  const others = filesFor(manager, wantedFiles(application), above === null)
  const wanted = [...(old === null ? [manifest] : []), ...others]
  const files = wanted.filter(({ path }) => !existsSync(join(root, path)))
  return {
    root,
    files,
    kept: wanted.map(({ path }) => path).filter((path) => existsSync(join(root, path))),
    needs,
    name: nameOf(root),
    manager,
    byHand: [
      ...byHand,
      ...ignoredByHand(root),
      ...signInByHand(root),
      ...workspaceByHand(root, files, manager),
      ...(above === null ? managerByHand(root, manager, { isNew: old === null, files }) : []),
    ],
  }
}

/** An application that is there already gets no controllers of ours, nor what they import. */
function hasApplication(root: string): boolean {
  return ['app/config.ts', 'app/controllers'].some((path) => existsSync(join(root, path)))
}

/** A file of the application comes in place of that of every application. */
function wantedFiles(application: Variant | null): readonly ProjectFile[] {
  const own = application === null ? [] : projectFiles(application)
  const both = projectFiles('both').filter(({ path }) => own.every((file) => file.path !== path))
  const all = [...own, ...both]
  const env = all.filter(({ path }) => path === '.env.example').map(({ text }) => ({ path: '.env', text }))
  return [...all, ...env]
}

function textOf(file: string): string | null {
  return existsSync(file) ? explained(`${file} cannot be read`, () => readFileSync(file, 'utf8')) : null
}

/** Whether there are files whose meaning depends on `type` of package.json. */
function hasCodeIn(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.isFile()) return /\.[jt]sx?$/.test(entry.name)
    const isSkipped = entry.name === 'node_modules' || entry.name.startsWith('.')
    return entry.isDirectory() && !isSkipped && hasCodeIn(join(folder, entry.name))
  })
}

/** A name that npm takes, made of the folder's. npm refuses to install a package into one of the same name. */
function nameOf(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 200)
  return name === '' || name === 'acmcp' || name === 'node_modules' ? `${name || 'my'}-app` : name
}

/** A `.gitignore` of the user's that lets through what must not be committed. */
function ignoredByHand(root: string): readonly string[] {
  const ignored = textOf(join(root, '.gitignore'))
  if (ignored === null) return []
  const plain = (line: string): string => line.trim().replace(/^\/|\/$/g, '')
  const lines = new Set(ignored.split('\n').map(plain))
  const missing = ['node_modules/', '.acmcp/', 'data/', '.env'].filter((line) => !lines.has(plain(line)))
  return missing.length === 0 ? [] : [`.gitignore: add ${missing.join(', ')}`]
}

/** Of settings that were there already. */
function managerByHand(
  root: string,
  manager: Manager,
  { isNew, files }: { readonly isNew: boolean; readonly files: readonly ProjectFile[] },
): readonly string[] {
  if (manager === 'yarn1')
    return isNew
      ? []
      : [`package.json: yarn 1 on Node.js 20 needs "resolutions": ${JSON.stringify(resolutions)}`]
  return files.some(({ path }) => /^(pnpm-workspace\.yaml|\.yarnrc\.yml)$/.test(path))
    ? []
    : settingsByHand(manager, root, '')
}

function signInByHand(root: string): readonly string[] {
  const env = textOf(join(root, '.env'))
  return env === null || /^\s*(export\s+)?DEV_LOGIN\s*=/m.test(env)
    ? []
    : ['.env: add DEV_LOGIN=1 to sign in on this machine without an identity provider']
}
