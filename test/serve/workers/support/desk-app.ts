/** An application that tells which process of which build answers, with every kind of connection that stays open. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copiesOfBuilt } from '../../../cli/support/built-app.ts'
import { freePort } from '../../../support/free-port.ts'
import { Connection } from '../../support/connection.ts'
import { type Instance, type InstanceOptions, startInstance } from '../../support/instance.ts'

const controller = `import { Controller, type Socket } from 'acmcp'

/**
 * Answers.
 *
 * @base /api
 */
export class Desk extends Controller {
  /**
   * Tells which process answers.
   *
   * @get /pid
   * @mcp hide
   */
  pid(): number {
    return process.pid
  }

  /**
   * Tells which build answers.
   *
   * @get /build
   * @mcp root
   * @mcp resource
   */
  build(): string {
    return 'first build'
  }

  /**
   * Waits until its signal aborts.
   *
   * @get /patient
   * @mcp hide
   */
  async patient(): Promise<string> {
    const { signal } = this.request
    console.log('patient')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'told'
  }

  /**
   * Never ends.
   *
   * @get /stubborn
   * @mcp hide
   */
  async stubborn(): Promise<string> {
    console.log('stubborn')
    return new Promise(() => {})
  }

  /**
   * Says that the list of tools is another one.
   *
   * @post /changed
   * @mcp root
   */
  changed(): string {
    this.mcp.toolsChanged()
    return 'changed'
  }

  /**
   * Says that the resource is another one.
   *
   * @post /touched
   * @mcp root
   */
  touched(): string {
    this.services.resourceChanged('/api/build')
    return 'touched'
  }

  /**
   * Tells one event and waits for ever.
   *
   * @get /events
   */
  async *events(): AsyncGenerator<number> {
    yield process.pid
    await new Promise(() => {})
  }

  /**
   * Says everything back.
   *
   * @websocket /echo
   */
  echo(socket: Socket): void {
    socket.on('message', (data) => socket.send(data.toString()))
  }
}
`

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({ limits: { registerPerHour: 20 } })
`

type Test = Parameters<ReturnType<typeof copiesOfBuilt>>[0] & { teardown(clean: () => Promise<void>): void }

const copy: ReturnType<typeof copiesOfBuilt> = copiesOfBuilt({
  'app/controllers/desk.ts': controller,
  'app/config.ts': config,
})

export interface DeskInstance extends Instance {
  readonly root: string
}

interface DeskOptions extends Partial<InstanceOptions> {
  readonly databaseUrl: string
}

/** Two workers of it in production, unless told otherwise. */
export async function startDesk(t: Test, { databaseUrl, ...options }: DeskOptions): Promise<DeskInstance> {
  const root = await copy(t)
  const port = await freePort()
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'kQ8w-2nB7vXz_4mLr9TgYh3PdSa6EfUj',
    SESSION_SECRET: 'Zx5c-8VbN1mQw_7eRt2YuI0oPaS4dFgH',
    ...options.env,
  }
  const instance = await startInstance({ cwd: root, port, workers: 2, args: ['--migrate'], ...options, env })
  t.teardown(async () => {
    instance.process.kill('SIGKILL')
    await instance.gone
  })
  return Object.assign(instance, { root })
}

/** Puts another build in its place. */
export function deploy(root: string, from: string, to: string): void {
  const file = join(root, '.acmcp/app.mjs')
  const bundle = readFileSync(file, 'utf8')
  if (!bundle.includes(from)) throw new Error(`the bundle has no ${from}`)
  writeFileSync(file, bundle.replace(from, to))
}

/** Kept connections, one to each worker at least; each must have been asked once. */
export async function connectionToEach(
  t: Test,
  { baseUrl }: Instance,
  count: number,
): Promise<readonly Connection[]> {
  const found = new Map<number, Connection>()
  while (found.size < count) {
    const connection = new Connection(baseUrl)
    const pid = await connection.pid()
    if (found.has(pid)) connection.close()
    else found.set(pid, connection)
  }
  t.teardown(async () => {
    for (const connection of found.values()) connection.close()
  })
  return [...found.values()]
}
