/** An application in memory, and a small `acmcp` for it to import. */
import type { Host } from '../../../cli/compiler/read/program/host.ts'

/** A small `acmcp`, as its declarations. */
export const acmcpTypes: string = `
declare const brand: unique symbol
export type Body<T> = T & { readonly [brand]?: 'Body' }
export type Header<Name extends string, T = string> = T & { readonly [brand]?: Name }
export type Cookie<Name extends string, T = string> = T & { readonly [brand]?: Name }
export type Named<Name extends string, T> = T & { readonly [brand]?: Name }
export type Int32 = number & { readonly [brand]?: 'Int32' }
export type Int64 = bigint & { readonly [brand]?: 'Int64' }
export type Uuid = string & { readonly [brand]?: 'Uuid' }
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly data: Uint8Array; readonly mimeType: string }
}
export declare class Rendered { readonly status: number }
export declare class NotFound extends Error {}
export declare class Conflict extends Error {}
export declare class ValueError extends Error {}
export declare class NotAcceptable extends Error {}
export declare class UnsupportedMediaType extends Error {}
export declare class JsonParseError extends Error {}
export declare class TooManyRequests extends Error { readonly retryAfterSeconds: number }
export declare class MissingError extends Error { readonly parameter: string; readonly restriction: string }
export declare class ParameterResponse { readonly error: string; readonly parameter: string; readonly restriction: string; constructor(error: MissingError) }
export declare class UploadedFile { readonly name: string; readonly size: number }
export declare class CommonResponse { readonly error: string; readonly backtrace?: readonly string[]; constructor(error: Error) }
export declare abstract class Controller {
  render(options: { status?: number; json?: unknown }): Rendered
  head(status: number): Rendered
  redirectTo(address: string): Rendered
}
export declare abstract class ApplicationController extends Controller {
  /**
   * A required parameter is missing.
   *
   * @exception {MissingError} 422
   */
  missing(error: MissingError): ParameterResponse
  /**
   * The request is refused.
   *
   * @exception {NotFound} 404
   * @exception {Conflict} 409
   */
  refused(error: NotFound | Conflict): CommonResponse
}
export declare function defineApp(config: object): object
`

export type Files = Readonly<Record<string, string>>

const around: Files = {
  'package.json': '{"name":"shop","version":"1.2.3","license":"MIT","type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n`,
  'node_modules/acmcp/package.json': '{"name":"acmcp","type":"module","types":"index.d.ts"}',
  'node_modules/acmcp/index.d.ts': acmcpTypes,
}

/** A host of these files, listed in the order given or in reverse. */
export function memoryHost(files: Files, order: 'given' | 'reversed' = 'given'): Host {
  const all = new Map(Object.entries({ ...around, ...files }).map(([path, text]) => [`/shop/${path}`, text]))
  const paths = order === 'given' ? [...all.keys()] : [...all.keys()].reverse()
  const isDirectory = (path: string): boolean => paths.some((text) => text.startsWith(`${path}/`))
  return {
    root: '/shop',
    readFile: (path) => all.get(path) ?? null,
    readBytes: (path) => {
      const text = all.get(path)
      return text === undefined ? null : Buffer.from(text, 'latin1')
    },
    fileExists: (path) => all.has(path),
    directoryExists: isDirectory,
    readDirectory: (path) => {
      const inside = paths
        .filter((text) => text.startsWith(`${path}/`))
        .map((text) => text.slice(path.length + 1))
      const names = [...new Set(inside.map((text) => text.split('/')[0] ?? ''))]
      return names.map((name) => ({ name, isDirectory: isDirectory(`${path}/${name}`) }))
    },
    realPath: (path) => path,
  }
}

/** A controller file `app/controllers/notes.ts` with these members. */
export function notesWith(members: string, imports = 'Controller'): Files {
  return {
    'app/controllers/notes.ts': `import { ${imports} } from 'acmcp'
/**
 * The notes of a team.
 *
 * @base /api/notes
 */
export class Notes extends Controller {
${members}
}
`,
  }
}

/** The worked example's shapes: an abstract parent, a filter, handlers, a root tool and a hidden class. */
export const shop: Files = {
  'app/protected.ts': `import { CommonResponse, Controller, type Header, NotFound, type Rendered } from 'acmcp'
export abstract class Protected extends Controller {
  /**
   * Needs a token.
   *
   * @filter before
   */
  async authenticate(authorization?: Header<'Authorization'>): Promise<Rendered | undefined> {
    return authorization === undefined ? this.head(401) : undefined
  }

  /**
   * There is no such thing.
   *
   * @exception {NotFound} 404
   */
  missing(error: NotFound): CommonResponse {
    return new CommonResponse(error)
  }
}
`,
  'app/controllers/notes.ts': `import type { Body, Int32 } from 'acmcp'
import { Protected } from '../protected.ts'
export interface Note { readonly id: bigint; readonly text: string; readonly at?: Date; readonly replies: readonly Note[] }
export interface NewNote { text: string; color?: 'red' | 'blue' }
/**
 * Notes of a person.
 *
 * @base /api/notes
 */
export class Notes extends Protected {
  /**
   * Lists notes.
   *
   * @get /
   * @param limit - how many
   */
  async index(limit: Int32 = 20): Promise<Note[]> { return limit > 0 ? [] : [] }

  /**
   * Adds a note.
   *
   * @post /
   * @returns 201 the note
   */
  create(note: Body<NewNote>): Note { return { id: 1n, text: note.text, replies: [] } }

  /**
   * Removes a note.
   *
   * @delete /:id
   * @param id - which one
   */
  remove(id: string): void { void id }
}
`,
  'app/controllers/users.ts': `import { Protected } from '../protected.ts'
/**
 * People.
 *
 * @base /api/users
 */
export class Users extends Protected {
  /**
   * Tells who is signed in.
   *
   * @get /current
   * @mcp root
   */
  current(): { name: string } { return { name: 'Ada' } }
}
`,
  'app/controllers/hidden.ts': `import { Controller } from 'acmcp'
/**
 * Of no use to a model.
 *
 * @mcp hide
 */
export class HiddenThings extends Controller {
  /**
   * Answers.
   *
   * @get /
   */
  show(): 'ok' { return 'ok' }
}
`,
}
