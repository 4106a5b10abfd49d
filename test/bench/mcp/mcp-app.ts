/** The application that `npm run bench:mcp` measures, built by `acmcp build` as any other: one route that is called, and
 *  as many more as tools are wanted. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildThere, linkPackage } from '../../support/linked.ts'
import { besideImports, type Imports } from '../build/sources.ts'

export interface ApplicationOptions {
  /** With packages there are the tools of one more controller. */
  readonly imports?: Imports
  /** Adds a plugin whose only hook does nothing. */
  readonly withHook?: boolean
  /** Adds a tool whose calls become tasks. */
  readonly withTask?: boolean
  /** Further files, or others in place of these. */
  readonly more?: Readonly<Record<string, string>>
}

/** Builds it with so many tools and returns its folder. */
export function buildApplication(
  tools: number,
  { imports = 'nothing', withHook = false, withTask = false, more = {} }: ApplicationOptions = {},
): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('package.json', '{"name":"bench","version":"1.0.0","private":true,"type":"module"}')
  write('app/config.ts', configWith(withHook ? hook : ''))
  write('app/protected.ts', guarded)
  write('app/controllers/notes.ts', notes)
  if (withTask) write('app/controllers/jobs.ts', jobs)
  for (let box = 0; box < Math.ceil((tools - 2) / perController); box += 1) {
    write(`app/controllers/box${box}.ts`, controller(box))
  }
  for (const [path, text] of [...besideImports(imports), ...Object.entries(more)]) write(path, text)
  linkPackage(root, ['kysely', 'ws', 'zod'])
  buildThere(root)
  return root
}

const perController = 10

const configWith = (more: string): string => `import { defineApp } from 'acmcp'
export const config: object = defineApp({
  mcp: { serverName: 'Bench', authProbe: '/api/notes/session' },
  limits: { toolCallsPerMinute: false, concurrentToolCalls: false, concurrentToolCallsPerUser: false, streamsPerUser: false },
${more}})
`

const hook = `  plugins: [async (app) => { app.addHook('onRequest', (_request, _reply, done) => done()) }],
`

const guarded = `import { Controller, type Header, type Rendered } from 'acmcp'
export abstract class Protected extends Controller {
  /**
   * Lets one token in.
   *
   * @filter before
   */
  authenticate(authorization?: Header<'Authorization', string>): Rendered | undefined {
    return authorization === 'Bearer bench' ? undefined : this.render({ status: 401, json: { error: 'invalid_token' } })
  }
}
`

const notes = `import { Protected } from '../protected.ts'

/** A note. */
export interface Note {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly tags: string[]
  readonly createdAt: string
  readonly pinned: boolean
}

/**
 * Notes.
 *
 * @base /api/notes
 */
export class Notes extends Protected {
  /**
   * Says that the token is good.
   *
   * @get /session
   */
  session(): string {
    return 'signed in'
  }

  /**
   * Shows the note.
   *
   * @get /:id
   * @mcp resource uri=notes://{id}
   * @mcp hide
   * @param id - which one
   */
  show(id: string): Note {
    return { id, title: 'A note of the bench', text: 'Some text that a model has written, about a line long.', tags: ['a', 'b'], createdAt: '2026-07-28T12:00:00.000Z', pinned: false }
  }

  /**
   * Adds a note.
   *
   * @post /
   * @param title - its title
   * @param text - its text
   * @param tags - its tags
   * @returns 201 the note as stored
   */
  create(title: string, text: string, tags: string[]): Note {
    return { id: 'note_0123456789', title, text, tags, createdAt: '2026-07-28T12:00:00.000Z', pinned: false }
  }
}
`

const jobs = `import { Protected } from '../protected.ts'

/** Jobs. */
export class Jobs extends Protected {
  /**
   * Makes something.
   *
   * @post /
   * @mcp task
   */
  make(): string {
    return 'made'
  }
}
`

function controller(box: number): string {
  const methods = Array.from(
    { length: perController },
    (_, index) => `
  /**
   * Looks up thing ${index} of box ${box} for whoever asks.
   *
   * @get /thing${index}/:id
   * @param id - which one
   * @param limit - how many at most
   * @param filter - what they must contain
   */
  thing${index}(id: string, limit: number = 20, filter?: string): string {
    return id + limit + filter
  }
`,
  )
  return `import { Protected } from '../protected.ts'

/** Box ${box}. */
export class Box${box} extends Protected {${methods.join('')}}
`
}
