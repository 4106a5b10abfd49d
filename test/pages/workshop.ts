/** A stranger's application for the page at the MCP address: several users, filters, a plugin, every kind of argument, and
 *  texts that would like to be markup. */
import { openTestApp, type TestApp } from '../../runtime/testing.ts'
import { freePort } from '../support/free-port.ts'
import { builtFolder } from '../support/linked.ts'

const jobs = `import { randomUUID } from 'node:crypto'
import { ApplicationController, type Body, type Header, type Int32, Unauthorized, type User } from 'acmcp'

/** How loud. */
export interface Options {
  level: Int32
  tags: string[]
}

const kept = new Map<string, string[]>()

export abstract class SignedIn extends ApplicationController {
  user: User | null = null

  /** @filter before */
  async signIn(authorization?: Header<'Authorization', string>): Promise<void> {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : ''
    this.user = await this.services.userOfAccessToken(token)
    if (this.user === null) throw new Unauthorized('sign in')
  }
}

/**
 * Jobs of the <b>workshop</b>. <script>document.title = 'run'</script>
 *
 * @base /jobs
 */
export class Jobs extends SignedIn {
  /**
   * Lists the jobs of the user. <img src=x onerror="document.title = 'run'">
   *
   * @get /
   * @mcp root
   */
  index(): { user: string; jobs: string[] } {
    const id = this.user?.id ?? ''
    return { user: id, jobs: kept.get(id) ?? [] }
  }

  /**
   * Adds a job.
   *
   * @post /
   * @param title - what to do </textarea><script>document.title = 'run'</script>
   * @param count - how often
   * @param day - when
   * @param isUrgent - whether it hurries
   * @param kind - which tool it takes
   * @param options - how
   * @param weight - in kilograms
   */
  create(title: string, count: Int32, isUrgent: boolean, kind: 'saw' | 'file', options: Options, weight: number | null, day?: string): { title: string; count: number; isUrgent: boolean; kind: string; level: number; weight: number | null; day: string } {
    const id = this.user?.id ?? ''
    kept.set(id, [...(kept.get(id) ?? []), title])
    return { title, count, isUrgent, kind, level: options.level, weight, day: day ?? 'some day' }
  }

  /**
   * Deletes every job of the user.
   *
   * @delete /
   */
  clear(): { key: string } {
    kept.delete(this.user?.id ?? '')
    return { key: randomUUID() }
  }

  /**
   * Takes options alone.
   *
   * @put /options
   */
  options(options: Body<Options>): Options { return options }

  /** Who asks. @get /me */
  me(): string { return this.user?.name ?? '' }
}
`

const config = `import { type AppPlugin, defineApp } from 'acmcp'

const stamp: AppPlugin = async (app) => {
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('x-stamp', 'seen')
    return payload
  })
}

export const config = defineApp({
  mcp: {
    path: '/deep/m cp',
    serverName: 'The <b>workshop</b>',
    authProbe: '/jobs/me',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  plugins: [stamp],
})
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"workshop","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/jobs.ts': jobs,
}

export interface Workshop {
  readonly app: TestApp
  readonly baseUrl: string
  /** The address of its MCP endpoint. */
  readonly address: string
}

/** Builds it as a user would, and listens. */
export async function openWorkshop(): Promise<Workshop> {
  const root = await builtFolder(files)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const app = await openTestApp({ cwd: root, environment: { baseUrl, port } })
  await app.application.server.listen({ port, host: 'localhost' })
  return { app, baseUrl, address: `${baseUrl}/deep/m%20cp` }
}
