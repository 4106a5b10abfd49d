/** The pages of the documentation (`templates/docs/*.md`), taken apart: what their fenced blocks hold. */
import { readdirSync, readFileSync } from 'node:fs'

export const docsFolder = 'templates/docs'

export interface Block {
  /** `ts`, `json`, … */
  readonly language: string
  /** What follows the language: a path, `run`, `refused ACM120`. */
  readonly about: string
  readonly text: string
  /** `page:line`, for messages. */
  readonly at: string
}

export interface Page {
  /** Without `.md`. */
  readonly name: string
  readonly text: string
  /** The lines outside of the blocks, with their numbers. */
  readonly prose: readonly { readonly line: string; readonly number: number }[]
  readonly blocks: readonly Block[]
}

/** Every page, by name. */
export function pages(): readonly Page[] {
  const names = readdirSync(docsFolder).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => pageOf(name, readFileSync(`${docsFolder}/${name}`, 'utf8')))
}

function pageOf(file: string, text: string): Page {
  const prose: { line: string; number: number }[] = []
  const blocks: Block[] = []
  let open: { info: string; lines: string[]; number: number } | null = null
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line)
    if (fence === null) {
      if (open === null) prose.push({ line, number: index + 1 })
      else open.lines.push(line)
    } else if (open === null) {
      open = { info: (fence[1] ?? '').trim(), lines: [], number: index + 1 }
    } else {
      const [language = '', ...about] = open.info.split(' ')
      const at = `${file}:${open.number}`
      blocks.push({ language, about: about.join(' '), text: `${open.lines.join('\n')}\n`, at })
      open = null
    }
  }
  if (open !== null) throw new Error(`${file}:${open.number}: the block is not closed`)
  return { name: file.replace(/\.md$/, ''), text, prose, blocks }
}

/** A page's application. A file that the page shows again replaces the first: a new stage begins with it. */
export interface Stage {
  readonly files: Readonly<Record<string, string>>
  /** The other blocks that stand there. */
  readonly blocks: readonly Block[]
}

/** The states of the page's application, in the order of the page; none when it shows no file. */
export function stagesOf({ blocks }: Page): readonly Stage[] {
  const stages: Stage[] = []
  let files: Record<string, string> = {}
  let shown = new Set<string>()
  let others: Block[] = []
  for (const block of blocks) {
    if (block.language === 'sh' || !/^[\w.-]+(\/[\w.-]+)*\.\w+$/.test(block.about)) {
      others.push(block)
      continue
    }
    if (shown.has(block.about)) {
      stages.push({ files, blocks: others })
      files = { ...files }
      shown = new Set()
      others = []
    }
    shown.add(block.about)
    files[block.about] = block.text
  }
  return Object.keys(files).some((path) => path.startsWith('app/'))
    ? [...stages, { files, blocks: others }]
    : []
}

/** One request and its answer, as an ```http run block shows them. */
export interface Exchange {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly answer: string
}

/** `GET /path`, headers, an empty line, the body; then `HTTP/1.1 200`, headers, an empty line, the body; and again. */
export function exchangesOf(block: Block): readonly Exchange[] {
  return block.text.split(/^(?=(?:GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD) \/)/m).map((part) => {
    const [request = '', answer] = part.split(/^HTTP\/1\.1 /m)
    const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(request) ?? []
    if (answer === undefined || method === '') throw new Error(`${block.at}: no request with its answer`)
    const requested = message(request)
    const got = message(answer)
    const status = Number(answer.slice(0, 3))
    const { headers, body } = requested
    return { method, target, headers, body, status, answerHeaders: got.headers, answer: got.body }
  })
}

function message(text: string): { headers: Record<string, string>; body: string } {
  const end = text.indexOf('\n\n')
  const [, ...lines] = (end < 0 ? text : text.slice(0, end)).trimEnd().split('\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { headers, body: end < 0 ? '' : text.slice(end + 2).trim() }
}
