/** What people ask of the help desk and the queries that a model makes of it, and how many of the tools that are meant are found.
 *  `desk-requests.tsv` was written by two authors who were given methods and paths and saw no text of a tool; who chose the keywords
 *  read the half for tuning only. Its lines are the tools that are meant (any of them), the request, the query. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskHost } from '../../../../cli/build/disk.ts'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { Catalogue } from '../../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../../cli/codecs/printed.ts'
import { writeDesk } from '../../../support/desk.ts'

export interface DeskRequest {
  /** One of them is meant. */
  readonly tools: readonly string[]
  readonly request: string
  readonly query: string
}

/** Every other line. */
export interface DeskRequests {
  readonly tuning: readonly DeskRequest[]
  readonly heldOut: readonly DeskRequest[]
}

export function readDeskRequests(): DeskRequests {
  const lines = readFileSync('test/bench/mcp/discovery/desk-requests.tsv', 'utf8').trimEnd().split('\n')
  const requests = lines.map((line): DeskRequest => {
    const [tools = '', request = '', query = ''] = line.split('\t')
    return { tools: tools.split(' '), request, query }
  })
  return {
    tuning: requests.filter((_, place) => place % 2 === 0),
    heldOut: requests.filter((_, place) => place % 2 === 1),
  }
}

/** Of the help desk that `acmcp init` copies, compiled as it is now. */
export function compileDesk(): Catalogue {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-desk-find-'))
  try {
    writeDesk(root)
    return loadCatalogue(compile(diskHost(root), { lint: false }).catalogue)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** The names of what is found, the best first. */
export type FindNames = (query: string) => Promise<readonly string[]>

export interface Recall {
  readonly first: number
  readonly five: number
  /** What was meant and is not among the five. */
  readonly missed: readonly { readonly text: string; readonly tools: readonly string[] }[]
}

/** How many of the texts find what they mean, in the first place and in the first five. */
export async function recallOf(
  requests: readonly DeskRequest[],
  textOf: (request: DeskRequest) => string,
  find: FindNames,
): Promise<Recall> {
  const found = await Promise.all(
    requests.map(async (request) => {
      const text = textOf(request)
      const place = (await find(text)).findIndex((name) => request.tools.includes(name))
      return { text, tools: request.tools, place }
    }),
  )
  const share = (isIn: (place: number) => boolean): number =>
    found.filter(({ place }) => isIn(place)).length / Math.max(found.length, 1)
  return {
    first: share((place) => place === 0),
    five: share((place) => place >= 0 && place < 5),
    missed: found.filter(({ place }) => place < 0 || place >= 5),
  }
}
