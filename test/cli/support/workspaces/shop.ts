/** A repository of the shop as the tests of workspaces edit it, and what a build of it says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ran, write } from '../built-app.ts'
import type { Files } from '../memory-host.ts'
import { type Layout, workspaceOf } from './layout.ts'
import { api, shopDeclares, shopFiles } from './sample.ts'

export interface Shop {
  readonly root: string
  /** The application's folder. */
  readonly api: string
}

/** A new repository of the shop with these files in place of its own; removed after the test. */
export function shopIn(t: Parameters<typeof workspaceOf>[0], layout: Layout, files: Files = {}): Shop {
  const root = workspaceOf(t, { layout, files: { ...shopFiles, ...files }, declared: shopDeclares })
  return { root, api: join(root, api) }
}

export const textIn = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8')

/** The lines of a build that begin with a place. */
export const mistakesOf = ({ stderr }: Ran): readonly string[] =>
  stderr.split('\n').filter((line) => / - (error|warning) /.test(line))

/** Where the neighbour keeps its greeting. */
export const greeting = 'packages/shared/src/index.ts'

/** The neighbour greets in other words. */
export const greetOtherwise = (root: string, words: string, save: typeof write = write): void =>
  save(
    root,
    greeting,
    textIn(root, greeting).replace(/greeting: string = '.*'/, `greeting: string = '${words}'`),
  )
