/** Builds of an application that take each other's place. */
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { built, folderOf } from '../../cli/support/built-app.ts'
import { notesWith } from '../../cli/support/memory-host.ts'

const tool = (name: string, answer: string): string => `
  /**
   * Tells what ${name} has to say.
   *
   * @get /${name}
   * @mcp root
   */
  ${name}(): string {
    return '${answer}'
  }
`

const slow = `
  /**
   * Waits until it is let go.
   *
   * @get /slow
   * @mcp root
   */
  async slow(): Promise<string> {
    await fetch(process.env.GATE ?? '')
    return 'the first build'
  }

  /**
   * Tells from where it is asked.
   *
   * @get /from
   * @mcp hide
   */
  from(): string {
    return this.request.ip
  }

  /**
   * Tells which process answers.
   *
   * @get /pid
   * @mcp hide
   */
  pid(): string {
    return String(process.pid)
  }

  /**
   * Ends the process.
   *
   * @get /crash
   * @mcp hide
   */
  crash(): void {
    process.exit(7)
  }
`
const members: Readonly<Record<'a' | 'b' | 'c', string>> = {
  a: tool('first', 'one') + slow,
  b: tool('first', 'one') + slow + tool('second', 'two'),
  c: tool('slow', 'at once') + tool('third', 'three'),
}
export type Build = keyof typeof members

const builds = new Map<Build, Promise<string>>()

/** Where it lies, built once: the compiler takes its time. */
function builtOnce(name: Build): Promise<string> {
  const build = async (): Promise<string> => {
    const root = folderOf({ teardown: (clean) => void process.once('exit', clean) }, notesWith(members[name]))
    await built(root)
    return root
  }
  const folder = builds.get(name) ?? build()
  builds.set(name, folder)
  return folder
}

/** Puts a build where `acmcp build` would. */
export async function deploy(root: string, name: Build): Promise<void> {
  const from = await builtOnce(name)
  for (const folder of ['generated', '.acmcp'])
    cpSync(join(from, folder), join(root, folder), { recursive: true })
}

/** Changes the bundle. */
export function change(root: string, from: string, to: string): void {
  const file = join(root, '.acmcp/app.mjs')
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`the bundle has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}

/** Asks on a connection of its own. */
export async function ask(url: string, localAddress?: string): Promise<string> {
  const request = get(url, { agent: false, ...(localAddress === undefined ? {} : { localAddress }) })
  const [response] = await once(request, 'response')
  return `${response.statusCode} ${await text(response)}`
}
