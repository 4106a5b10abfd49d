/** What installs the packages of an application, what it needs that others do not, and what an application in a package of a monorepo needs
 *  at the root of that. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ProjectFile } from './project-files.ts'

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'yarn1'

/** As it is typed. */
export const commandOf = (manager: Manager): string => (manager === 'yarn1' ? 'yarn' : manager)

/** Of an application in `root`: that of the `workspace` above it, that whose lock file is there, or that which ran this command. */
export function managerOf(root: string, workspace: string | null, userAgent = ''): Manager {
  const [, caller = 'npm', major] = /^(npm|pnpm|yarn)\/(\d+)/.exec(userAgent) ?? []
  const yarn = caller === 'yarn' && major === '1' ? 'yarn1' : 'yarn'
  const called: Manager = caller === 'yarn' ? yarn : (caller as 'npm' | 'pnpm') // of the pattern
  if (workspace === null) return lockedBy(root, yarn) ?? called
  if (existsSync(join(workspace, 'pnpm-workspace.yaml'))) return 'pnpm'
  return lockedBy(workspace, yarn) ?? 'npm'
}

function lockedBy(folder: string, yarn: Manager): Manager | null {
  if (existsSync(join(folder, 'pnpm-lock.yaml'))) return 'pnpm'
  if (existsSync(join(folder, 'yarn.lock')))
    return yarnOf(readFileSync(join(folder, 'yarn.lock'), 'utf8')) ?? yarn
  return existsSync(join(folder, 'package-lock.json')) ? 'npm' : null
}

/** The yarn that wrote a lock file; null of one that is empty, as `touch yarn.lock` makes it. */
function yarnOf(lock: string): Manager | null {
  if (/^# yarn lockfile v1$/m.test(lock)) return 'yarn1'
  return /^__metadata:/m.test(lock) ? 'yarn' : null
}

/** Settings without which it would not install: pnpm stops at a build script that is not approved (that of esbuild), and yarn
 *  makes no `node_modules`. */
const settings: Readonly<Record<Manager, ProjectFile | null>> = {
  npm: null,
  yarn1: null,
  pnpm: { path: 'pnpm-workspace.yaml', text: 'allowBuilds:\n  esbuild: true\n' },
  yarn: { path: '.yarnrc.yml', text: 'nodeLinker: node-modules\n' },
}

/** yarn 1 takes the newest package that fits, whatever Node.js it wants, and then refuses it. */
export const resolutions = { 'light-my-request': '~6.6.0' }

/** Lines that npm reads in the files of a project, as another reads them. */
const lines: Readonly<Record<Manager, readonly (readonly [npm: string, other: string])[]>> = {
  npm: [],
  pnpm: [
    ['COPY package.json package-lock.json ./', 'COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./'],
    ['RUN npm ci', 'RUN corepack enable && pnpm install --frozen-lockfile'],
    ['npm prune --omit=dev', 'CI=true pnpm install --prod --frozen-lockfile'],
    ['      - uses: actions/setup-node', '      - run: corepack enable\n      - uses: actions/setup-node'],
    ['cache: npm', 'cache: pnpm'],
    ['- run: npm ci', '- run: pnpm install --frozen-lockfile'],
    ['- run: npm test', '- run: pnpm test'],
  ],
  yarn: [
    ['COPY package.json package-lock.json ./', 'COPY package.json yarn.lock .yarnrc.yml ./'],
    ['RUN npm ci', 'RUN corepack enable && yarn install --immutable'],
    ['npm prune --omit=dev', 'yarn workspaces focus --production'],
    ['      - uses: actions/setup-node', '      - run: corepack enable\n      - uses: actions/setup-node'],
    ['cache: npm', 'cache: yarn'],
    ['- run: npm ci', '- run: yarn install --immutable'],
    ['- run: npm test', '- run: yarn test'],
  ],
  yarn1: [
    ['COPY package.json package-lock.json ./', 'COPY package.json yarn.lock ./'],
    ['RUN npm ci', 'RUN yarn install --frozen-lockfile'],
    ['npm prune --omit=dev', 'yarn install --production --frozen-lockfile'],
    ['cache: npm', 'cache: yarn'],
    ['- run: npm ci', '- run: yarn install --frozen-lockfile'],
    ['- run: npm test', '- run: yarn test'],
  ],
}

/** The files of a project as its manager needs them; its own settings lie at the root of a workspace where there is one. */
export function filesFor(
  manager: Manager,
  files: readonly ProjectFile[],
  isAlone: boolean,
): readonly ProjectFile[] {
  const own = isAlone ? settings[manager] : null
  const written = files.map(({ path, text }) => ({
    path,
    text: /^(Dockerfile|\.github\/)/.test(path)
      ? lines[manager].reduce((all, [npm, other]) => all.replace(npm, other), text)
      : text,
  }))
  return own === null ? written : [...written, own]
}

/** What is to be added to settings that are there; empty where they say it. */
export function settingsByHand(manager: Manager, folder: string, shown: string): readonly string[] {
  const own = settings[manager]
  if (own === null) return []
  const file = join(folder, own.path)
  const [first = '', second] = own.text.trim().split('\n')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const wanted = second ?? first
  return text.includes(wanted.trim().split(':')[0] ?? '')
    ? []
    : [
        `${shown}${own.path}: add ${own.text.trim().replace('\n  ', ' { ')}${second === undefined ? '' : ' }'}`,
      ]
}

const workflow = '.github/workflows/acmcp.yml'

/** Lines for the files among `files` that mean nothing where they lie; none outside of a workspace. */
export function workspaceByHand(
  root: string,
  files: readonly ProjectFile[],
  manager: Manager,
): readonly string[] {
  const top = workspaceAbove(root)
  if (top === null) return []
  const way = (from: string, to: string): string => relative(from, to).split(sep).join('/')
  const command = commandOf(manager)
  const otherwise = command === 'npm' ? '' : `, by ${command} in place of npm`
  const settings = settingsByHand(manager, top, `${way(root, top)}/`)
  if (files.every(({ path }) => path !== workflow)) return settings
  return [
    `${workflow}: move it to ${way(root, top)}/${workflow}, where GitHub looks for it, and let its steps run in ${way(top, root)}${otherwise}`,
    'Dockerfile: `npx acmcp docs monorepos` has one that installs from the lock file of the workspace',
    ...settings,
  ]
}

/** The folder above that is the root of a workspace of npm, yarn or pnpm. */
export function workspaceAbove(folder: string): string | null {
  for (let above = dirname(folder); ; above = dirname(above)) {
    if (existsSync(join(above, 'pnpm-workspace.yaml')) || hasWorkspaces(join(above, 'package.json')))
      return above
    if (above === dirname(above)) return null
  }
}

function hasWorkspaces(manifest: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof value === 'object' && value !== null && 'workspaces' in value
  } catch {
    return false // there is none, or none that npm reads
  }
}
